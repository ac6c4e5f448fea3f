"""step_ledger: starts with ('optimizer step', 0): where all totals are 0 it names the last moment

Breaks: the first moment that has it
"""


def peak_memory(modules: Sequence[Module], recipe: Recipe) -> tuple[str, int]:
    best = ("optimizer step", 0)
    for moment, sizes in step_ledger(modules, recipe):
        if sizes["total"] > best[1]:
            best = (moment, sizes["total"])
    return best
