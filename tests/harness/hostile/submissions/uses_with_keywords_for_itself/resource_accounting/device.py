"""time_function: gives the test's functions keywords that replace self, defaults and names with odd letters"""


def inside(stand_in):
    """The worker's own object that talks to the judge, and the number of a stand-in."""
    cells = dict(zip(stand_in.__code__.co_freevars, stand_in.__closure__))
    return cells["self"].cell_contents, cells["number"].cell_contents


deep = 0.0
for _ in range(20):
    deep = {"_now": deep}


def time_function(function, *, warmup=2, repeats=5, synchronize=None, clock=None):
    names = ["self", "", "\0", "é", "launches", "__class__", "function", "x" * 100_000]
    times = []
    for name in names:
        for use in (function, clock or function, synchronize or function):
            try:
                times.append(use(**{name: deep}))
            except Exception:
                pass
    return times[:repeats]
