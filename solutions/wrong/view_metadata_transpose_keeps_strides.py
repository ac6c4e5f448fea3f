"""view_metadata: transpose swaps the shape and leaves the strides, which is a reshape

Breaks: The layout of a tensor with two dimensions swapped;
"""


def transpose(shape, strides, offset, dim0, dim1):
    dim0, dim1 = dim0 % len(shape), dim1 % len(shape)
    new_shape = list(shape)
    new_shape[dim0], new_shape[dim1] = new_shape[dim1], new_shape[dim0]
    return tuple(new_shape), tuple(strides), offset
