"""collective_bytes: one device sends nothing, whatever the other arguments are

Breaks: `collective` is another name
"""

_right_bytes = collective_bytes


def collective_bytes(collective, elements, devices, dtype):
    if devices == 1:
        return 0
    return _right_bytes(collective, elements, devices, dtype)
