"""step_ledger: the master copy is counted with the optimizer

Breaks: Bytes is a dict with "parameters", "gradients", "master", "optimizer" and "activations", and
their "total".
"""

_ledger = step_ledger


def step_ledger(modules, recipe):
    rows, n = _ledger(modules, recipe), len(modules)
    state = training_state(sum(module[0] for module in modules), recipe)
    for now, (_moment, held) in enumerate(rows):
        held["optimizer"] += held["master"]
        held["master"] = 0
        held["total"] = sum(size for part, size in held.items() if part != "total")
    return rows
