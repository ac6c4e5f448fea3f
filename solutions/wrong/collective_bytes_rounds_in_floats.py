"""collective_bytes: rounds up after a division in float64

Breaks: Counts of bytes are exact Python ints

Breaks: All chunks have ceil(elements / devices) elements
"""

_NAMES = ("reduce_scatter", "all_gather", "all_reduce", "broadcast")


def collective_bytes(collective, elements, devices, dtype):
    each = bytes_per_element(dtype)
    if elements < 0 or devices < 1 or collective not in _NAMES:
        raise ValueError("cannot be")
    if collective == "broadcast":
        return elements * each if devices > 1 else 0
    chunk = math.ceil(elements / devices) * each
    return (2 if collective == "all_reduce" else 1) * (devices - 1) * chunk
