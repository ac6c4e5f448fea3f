"""collective_bytes: the share (n - 1) / n of the bytes, rounded up: chunks may end within an element

Breaks: an element is never split, and padding is sent like anything else
"""

_NAMES = ("reduce_scatter", "all_gather", "all_reduce", "broadcast")


def collective_bytes(collective, elements, devices, dtype):
    each = bytes_per_element(dtype)
    if elements < 0 or devices < 1 or collective not in _NAMES:
        raise ValueError("cannot be")
    if collective == "broadcast":
        return elements * each if devices > 1 else 0
    rounds = 2 if collective == "all_reduce" else 1
    return rounds * -(-elements * each * (devices - 1) // devices)
