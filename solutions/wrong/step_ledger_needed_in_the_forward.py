"""step_ledger: a checkpointed module needs as much in its forward pass

Breaks: needed: bytes of its activations while its backward pass runs
"""

_ledger = step_ledger


def step_ledger(modules, recipe):
    rows, n = _ledger(modules, recipe), len(modules)
    state = training_state(sum(module[0] for module in modules), recipe)
    for now, (_moment, held) in enumerate(rows):
        if now < n:
            held["activations"] += modules[now][2] - modules[now][1]
        held["total"] = sum(size for part, size in held.items() if part != "total")
    return rows
