"""step_ledger: the backward pass goes from the first module to the last

Breaks: the backward pass of each module from the last to the first
"""

_ledger = step_ledger


def step_ledger(modules, recipe):
    rows, n = _ledger(modules, recipe), len(modules)
    state = training_state(sum(module[0] for module in modules), recipe)
    for now, (_moment, held) in enumerate(rows):
        if n <= now < 2 * n:
            held["gradients"] = training_state(sum(m[0] for m in modules[: now - n + 1]), recipe)[
                "gradients"
            ]
        held["total"] = sum(size for part, size in held.items() if part != "total")
    return rows
