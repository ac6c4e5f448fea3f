"""collective_bytes: a broadcast on one device sends the buffer

Breaks: Bytes; 0 on one device.
"""

_right_bytes = collective_bytes


def collective_bytes(collective, elements, devices, dtype):
    sent = _right_bytes(collective, elements, devices, dtype)
    return elements * bytes_per_element(dtype) if collective == "broadcast" else sent
