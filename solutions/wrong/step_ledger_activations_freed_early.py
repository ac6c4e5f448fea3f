"""step_ledger: a module's activations are freed as its backward pass begins

Breaks: Activations live until the end of their module's backward pass
"""

_ledger = step_ledger


def step_ledger(modules, recipe):
    rows, n = _ledger(modules, recipe), len(modules)
    state = training_state(sum(module[0] for module in modules), recipe)
    for now, (_moment, held) in enumerate(rows):
        if n <= now < 2 * n:
            held["activations"] -= modules[2 * n - 1 - now][2]
        held["total"] = sum(size for part, size in held.items() if part != "total")
    return rows
