"""step_ledger: modules are counted from 1

Breaks: Moments are called "forward 0", "forward 1", …, then …, "backward 1", "backward 0", and last
"optimizer step".
"""

_ledger = step_ledger


def step_ledger(modules, recipe):
    rows = _ledger(modules, recipe)
    names = [m.split() for m, _ in rows]
    return [
        (f"{way} {int(at) + 1}" if at.isdigit() else f"{way} {at}", held)
        for (way, at), (_, held) in zip(names, rows)
    ]
