"""collective_bytes: devices exchange in pairs, in log2(n) steps, as if a step took one chunk

Breaks: Devices form a ring

Breaks: In each step of a collective operation, every device sends one chunk to the next device

Breaks: takes n - 1 steps
"""

_NAMES = ("reduce_scatter", "all_gather", "all_reduce", "broadcast")


def collective_bytes(collective, elements, devices, dtype):
    each = bytes_per_element(dtype)
    if elements < 0 or devices < 1 or collective not in _NAMES:
        raise ValueError("cannot be")
    if collective == "broadcast":
        return elements * each if devices > 1 else 0
    chunk = -(-elements // devices) * each
    steps = (devices - 1).bit_length()
    return (2 if collective == "all_reduce" else 1) * steps * chunk
