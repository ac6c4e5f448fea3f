"""storage_index: compares strides with np.allclose, which overlooks small relative gaps

Breaks: Whether the elements are stored in row-major order, without gaps or repeats.
"""

import math

import numpy as np


def is_contiguous(shape, strides):
    if len(shape) != len(strides):
        raise ValueError("shape and strides differ in length")
    if any(n < 0 for n in shape):
        raise ValueError("negative size")
    if 0 in shape:
        return True
    used = [d for d in range(len(shape)) if shape[d] != 1]
    expected = [math.prod(shape[d + 1 :]) for d in used]
    return bool(np.allclose([float(strides[d]) for d in used], [float(e) for e in expected]))
