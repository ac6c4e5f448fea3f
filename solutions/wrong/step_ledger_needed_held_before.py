"""step_ledger: activations are counted as needed before they are made

Breaks: held: bytes of activations that it holds from its forward pass until its backward pass;

Breaks: the same number, or more if the module is checkpointed, since it runs again just before
"""

_ledger = step_ledger


def step_ledger(modules, recipe):
    rows, n = _ledger(modules, recipe), len(modules)
    state = training_state(sum(module[0] for module in modules), recipe)
    for now, (_moment, held) in enumerate(rows):
        if now < n:
            held["activations"] = sum(m[2] for m in modules[: now + 1])
        held["total"] = sum(size for part, size in held.items() if part != "total")
    return rows
