"""step_ledger: the peak is always where the backward pass begins

Breaks: The largest total of `step_ledger`, and when it occurs.
"""


def peak_memory(modules, recipe):
    rows = [(moment, held["total"]) for moment, held in step_ledger(modules, recipe)]
    return rows[min(len(modules), len(rows) - 1)]
