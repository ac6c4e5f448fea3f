"""collective_bytes: every other name is an all-gather

Breaks: `collective` is another name
"""

_right_bytes = collective_bytes


def collective_bytes(collective, elements, devices, dtype):
    if collective not in ("reduce_scatter", "all_reduce", "broadcast"):
        collective = "all_gather"
    return _right_bytes(collective, elements, devices, dtype)
