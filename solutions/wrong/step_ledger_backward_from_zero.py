"""step_ledger: the backward pass of the last module is called backward 0

Breaks: then …, "backward 1", "backward 0"
"""

_ledger = step_ledger


def step_ledger(modules, recipe):
    rows = _ledger(modules, recipe)
    n = len(modules)
    return [
        (f"backward {i - n}" if n <= i < 2 * n else moment, held)
        for i, (moment, held) in enumerate(rows)
    ]
