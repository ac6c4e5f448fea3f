"""view_strides: a view is taken to exist only where the tensor is contiguous

Breaks: This decides whether `torch.Tensor.view` works:
"""


def view_strides(shape, strides, new_shape):
    new_shape = _infer_size(new_shape, math.prod(shape))
    return row_major_strides(new_shape) if is_contiguous(shape, strides) else None
