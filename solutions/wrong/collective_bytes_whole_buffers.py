"""collective_bytes: a reduce-scatter passes whole buffers on

Breaks: At first each device holds a whole buffer, at the end one chunk of the sum of all buffers.
"""

_right_bytes = collective_bytes


def collective_bytes(collective, elements, devices, dtype):
    sent = _right_bytes(collective, elements, devices, dtype)
    if collective == "reduce_scatter":
        return (devices - 1) * elements * bytes_per_element(dtype)
    return sent
