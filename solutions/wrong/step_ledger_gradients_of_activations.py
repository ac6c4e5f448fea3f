"""step_ledger: the gradient of a module's activations is counted too

Breaks: Temporary tensors are not counted: those inside an operation, and gradients of activations.
"""

_ledger = step_ledger


def step_ledger(modules, recipe):
    rows, n = _ledger(modules, recipe), len(modules)
    state = training_state(sum(module[0] for module in modules), recipe)
    for now, (_moment, held) in enumerate(rows):
        if n <= now < 2 * n:
            held["activations"] += modules[2 * n - 1 - now][1]
        held["total"] = sum(size for part, size in held.items() if part != "total")
    return rows
