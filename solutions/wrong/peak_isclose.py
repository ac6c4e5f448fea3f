"""step_ledger: names the first moment that is close to the largest total, by math.isclose

Breaks: the largest total, and the first moment that has it.
"""

import math


def peak_memory(modules: Sequence[Module], recipe: Recipe) -> tuple[str, int]:
    ledger = step_ledger(modules, recipe)
    peak = max(sizes["total"] for _, sizes in ledger)
    first = next(name for name, sizes in ledger if math.isclose(sizes["total"], peak))
    return first, peak
