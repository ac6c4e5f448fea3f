"""bytes_per_element: bits divided by 8, which is a float

Breaks: Bytes that one element of a tensor takes
"""

_right_bytes = bytes_per_element


def bytes_per_element(dtype):
    return 8 * _right_bytes(dtype) / 8
