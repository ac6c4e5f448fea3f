"""collective_bytes: an all-reduce goes around the ring once

Breaks: is a reduce-scatter, then an all-gather
"""

_right_bytes = collective_bytes


def collective_bytes(collective, elements, devices, dtype):
    sent = _right_bytes(collective, elements, devices, dtype)
    return sent // 2 if collective == "all_reduce" else sent
