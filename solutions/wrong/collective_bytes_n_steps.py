"""collective_bytes: n steps, so that each chunk comes back to where it started

Breaks: takes n - 1 steps

Breaks: In each step of a collective operation, every device sends one chunk to the next device and
receives one from the device before, both at the same time.
"""

_NAMES = ("reduce_scatter", "all_gather", "all_reduce", "broadcast")


def collective_bytes(collective, elements, devices, dtype):
    each = bytes_per_element(dtype)
    if elements < 0 or devices < 1 or collective not in _NAMES:
        raise ValueError("cannot be")
    if collective == "broadcast":
        return elements * each if devices > 1 else 0
    chunk = -(-elements // devices) * each
    steps = devices if devices > 1 else 0
    return (2 if collective == "all_reduce" else 1) * steps * chunk
