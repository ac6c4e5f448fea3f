"""step_ledger: parameters are there from their module's forward pass on

Breaks: Parameters, master copy and optimizer state live throughout.
"""

_ledger = step_ledger


def step_ledger(modules, recipe):
    rows, n = _ledger(modules, recipe), len(modules)
    state = training_state(sum(module[0] for module in modules), recipe)
    for now, (_moment, held) in enumerate(rows):
        if now < n:
            held["parameters"] = training_state(sum(m[0] for m in modules[: now + 1]), recipe)[
                "parameters"
            ]
        held["total"] = sum(size for part, size in held.items() if part != "total")
    return rows
