"""collective_bytes: a ring of no devices sends nothing

Breaks: `devices` is less than 1
"""

_right_bytes = collective_bytes


def collective_bytes(collective, elements, devices, dtype):
    sent = _right_bytes(collective, elements, max(devices, 1), dtype)
    return sent if devices > 0 else 0
