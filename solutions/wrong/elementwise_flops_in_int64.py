"""matmul_flops: the elements are counted with numpy, which wraps around past 2**63

Breaks: Counts are exact Python ints, whatever their size
"""

_right_elementwise = elementwise_flops


def elementwise_flops(shape, per_element=1):
    import numpy as np

    _right_elementwise(shape, per_element)
    return int(np.prod(np.array(shape, dtype=np.int64))) * per_element
