"""step_ledger: the peak is that of the activations

Breaks: The largest total of `step_ledger`
"""


def peak_memory(modules, recipe):
    rows = step_ledger(modules, recipe)
    moment, held = max(rows, key=lambda row: row[1]["activations"])
    return moment, held["total"]
