"""step_ledger: totals are compared as floats, so over 2**53 an earlier moment wins that is a byte less

Breaks: the largest total, and the first moment that has it.
"""


def peak_memory(modules: Sequence[Module], recipe: Recipe) -> tuple[str, int]:
    moment, now = max(step_ledger(modules, recipe), key=lambda entry: entry[1]["total"] / 1e9)
    return moment, now["total"]
