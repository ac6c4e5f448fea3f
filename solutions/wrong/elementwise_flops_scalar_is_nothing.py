"""matmul_flops: a scalar is taken to have no elements

Breaks: () is a scalar, which is one element
"""

_right_elementwise = elementwise_flops


def elementwise_flops(shape, per_element=1):
    return _right_elementwise(shape, per_element) if shape else 0
