"""collective_bytes: the last chunk is short, and whoever sends most does not send it

Breaks: All but broadcast cut the buffer into one chunk for each device

Breaks: All chunks have ceil(elements / devices) elements

Breaks: padding is sent like anything else
"""

_NAMES = ("reduce_scatter", "all_gather", "all_reduce", "broadcast")


def collective_bytes(collective, elements, devices, dtype):
    each = bytes_per_element(dtype)
    if elements < 0 or devices < 1 or collective not in _NAMES:
        raise ValueError("cannot be")
    if collective == "broadcast":
        return elements * each if devices > 1 else 0
    chunk = -(-elements // devices)
    rounds = 2 if collective == "all_reduce" else 1
    return rounds * min(chunk * (devices - 1), elements - elements // devices) * each
