"""step_ledger: bytes are computed in floats

Breaks: All results are exact ints.
"""

_ledger = step_ledger


def step_ledger(modules, recipe):
    rows, n = _ledger(modules, recipe), len(modules)
    state = training_state(sum(module[0] for module in modules), recipe)
    for now, (_moment, held) in enumerate(rows):
        for part in held:
            held[part] = int(float(held[part]))
        held["total"] = sum(size for part, size in held.items() if part != "total")
    return rows
