"""step_ledger: the peak of a chain of impossible modules is computed

Breaks: ValueError, TypeError: as for `step_ledger`.
"""

_peak = peak_memory


def peak_memory(modules, recipe):
    return _peak([(max(p, 0), max(h, 0), max(h, n, 0)) for p, h, n in modules], recipe)
