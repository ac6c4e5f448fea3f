"""step_ledger: there are no totals

Breaks: and their "total"
"""

_ledger = step_ledger


def step_ledger(modules, recipe):
    rows = _ledger(modules, recipe)
    for _, held in rows:
        held.pop("total")
    return rows


def peak_memory(modules, recipe):
    totals = [(moment, sum(held.values())) for moment, held in step_ledger(modules, recipe)]
    return max(totals, key=lambda entry: entry[1])
