"""step_ledger: the bytes come first

Breaks: (moment, bytes)
"""


def peak_memory(modules, recipe):
    rows = [(moment, held["total"]) for moment, held in step_ledger(modules, recipe)]
    moment, most = max(rows, key=lambda row: row[1])
    return most, moment
