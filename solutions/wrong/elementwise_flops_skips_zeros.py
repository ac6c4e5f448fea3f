"""matmul_flops: a size of 0 is skipped, as if it counted as 1

Breaks: which may be 0
"""

_right_elementwise = elementwise_flops


def elementwise_flops(shape, per_element=1):
    return _right_elementwise([size or 1 for size in shape], per_element)
