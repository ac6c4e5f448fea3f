"""step_ledger: the optimizer's step has a temporary tensor for each parameter

Breaks: Temporary tensors are not counted: those inside an operation
"""

_ledger = step_ledger


def step_ledger(modules, recipe):
    rows, n = _ledger(modules, recipe), len(modules)
    state = training_state(sum(module[0] for module in modules), recipe)
    for now, (_moment, held) in enumerate(rows):
        if now == 2 * n:
            held["optimizer"] += state["parameters"]
        held["total"] = sum(size for part, size in held.items() if part != "total")
    return rows
