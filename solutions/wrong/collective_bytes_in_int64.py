"""collective_bytes: counts in int64, which has a largest value

Breaks: Counts of bytes are exact Python ints
"""

_right_bytes = collective_bytes


def collective_bytes(collective, elements, devices, dtype):
    sent = _right_bytes(collective, elements, devices, dtype)
    return (sent + 2**63) % 2**64 - 2**63
