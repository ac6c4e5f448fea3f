"""step_ledger: optimizer state is there in the optimizer's step alone

Breaks: Parameters, master copy and optimizer state live throughout.
"""

_ledger = step_ledger


def step_ledger(modules, recipe):
    rows, n = _ledger(modules, recipe), len(modules)
    state = training_state(sum(module[0] for module in modules), recipe)
    for now, (_moment, held) in enumerate(rows):
        held["optimizer"] = state["optimizer"] if now == 2 * n else 0
        held["total"] = sum(size for part, size in held.items() if part != "total")
    return rows
