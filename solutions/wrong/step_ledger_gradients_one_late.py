"""step_ledger: a module's gradient is there only after its backward pass

Breaks: and gradients are there at that moment already
"""

_ledger = step_ledger


def step_ledger(modules, recipe):
    rows, n = _ledger(modules, recipe), len(modules)
    state = training_state(sum(module[0] for module in modules), recipe)
    for now, (_moment, held) in enumerate(rows):
        if n <= now < 2 * n:
            held["gradients"] -= training_state(modules[2 * n - 1 - now][0], recipe)["gradients"]
        held["total"] = sum(size for part, size in held.items() if part != "total")
    return rows
