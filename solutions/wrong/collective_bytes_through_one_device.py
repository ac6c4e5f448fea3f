"""collective_bytes: in an all-reduce, one device sends the sum to each of the others

Breaks: is a reduce-scatter, then an all-gather

Breaks: At the end each device holds the sum
"""

_right_bytes = collective_bytes


def collective_bytes(collective, elements, devices, dtype):
    sent = _right_bytes(collective, elements, devices, dtype)
    if collective == "all_reduce":
        return (devices - 1) * elements * bytes_per_element(dtype)
    return sent
