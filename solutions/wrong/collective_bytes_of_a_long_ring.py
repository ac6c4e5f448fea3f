"""collective_bytes (core): the whole buffer once, or twice in an all-reduce, as on a long ring

Breaks: takes n - 1 steps

Breaks: All but broadcast cut the buffer into one chunk for each device
"""

_right_bytes = collective_bytes


def collective_bytes(collective, elements, devices, dtype):
    _right_bytes(collective, elements, devices, dtype)  # refuses
    if devices == 1:
        return 0
    return (2 if collective == "all_reduce" else 1) * elements * bytes_per_element(dtype)
