"""collective_bytes: counts what a device receives, too

Breaks: So each device receives as many bytes as it sends, and only sent bytes are counted.

Breaks: Bytes that each device sends in a collective operation on a ring.
"""

_right_bytes = collective_bytes


def collective_bytes(collective, elements, devices, dtype):
    return 2 * _right_bytes(collective, elements, devices, dtype)
