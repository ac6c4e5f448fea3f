"""step_ledger: an empty chain has no peak

Breaks: (moment, bytes)
"""

_peak = peak_memory


def peak_memory(modules, recipe):
    return _peak(modules, recipe) if modules else (None, 0)
