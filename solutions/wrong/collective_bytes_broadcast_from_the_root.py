"""collective_bytes: in a broadcast, one device sends the buffer to each of the others

Breaks: passes one device's buffer on around the ring
"""

_right_bytes = collective_bytes


def collective_bytes(collective, elements, devices, dtype):
    sent = _right_bytes(collective, elements, devices, dtype)
    return sent * (devices - 1) if collective == "broadcast" else sent
