"""collective_bytes: a negative number of elements passes

Breaks: `elements` is negative
"""

_right_bytes = collective_bytes


def collective_bytes(collective, elements, devices, dtype):
    sent = _right_bytes(collective, abs(elements), devices, dtype)
    return -sent if elements < 0 else sent
