"""step_ledger: of several moments with the largest total the last is returned

Breaks: the largest total, and the first moment that has it.
"""


def peak_memory(modules, recipe):
    rows = [(moment, held["total"]) for moment, held in step_ledger(modules, recipe)]
    return max(reversed(rows), key=lambda row: row[1])
