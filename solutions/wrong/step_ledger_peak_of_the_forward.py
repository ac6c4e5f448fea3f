"""step_ledger: only the forward pass can have the peak

Breaks: The largest total of `step_ledger`, and when it occurs.
"""


def peak_memory(modules, recipe):
    rows = [(moment, held["total"]) for moment, held in step_ledger(modules, recipe)]
    return max(rows[: max(len(modules), 1)], key=lambda row: row[1])
