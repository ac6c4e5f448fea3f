"""view_strides: -1 is rounded down, so a shape of another number of elements passes

Breaks: `new_shape` has a different number of elements, whatever its -1 stands for;
"""


def _infer_size(new_shape, elements):
    known = math.prod(size for size in new_shape if size != -1)
    if list(new_shape).count(-1) > 1 or any(size < -1 for size in new_shape):
        raise ValueError("sizes do not fit")
    if -1 in new_shape:
        if known == 0:
            raise ValueError("-1 could be any size")
        return tuple(elements // known if size == -1 else size for size in new_shape)
    if known != elements:
        raise ValueError("sizes do not fit")
    return tuple(new_shape)
