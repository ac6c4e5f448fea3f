"""storage_index: strides of dimensions of size 1 are compared too

Breaks: The rules are those of `torch.Tensor.is_contiguous`:

Breaks: the stride of a dimension of size 1 is never used, so it may have any value;
"""


def is_contiguous(shape, strides):
    return math.prod(shape) == 0 or tuple(strides) == row_major_strides(shape)
