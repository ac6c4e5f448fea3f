"""elementwise_flops: 0 is returned for a size of 0, before the rest is checked

Breaks: a size or `per_element` is negative
"""

_right_elementwise = elementwise_flops


def elementwise_flops(shape, per_element=1):
    return 0 if 0 in shape else _right_elementwise(shape, per_element)
