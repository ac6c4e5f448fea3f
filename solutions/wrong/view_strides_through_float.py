"""view_strides: the size for -1 is a quotient of floats, which rounds beyond 2^53

Breaks: it is then computed so that the number of elements matches
"""

_right_view_strides = view_strides


def view_strides(shape, strides, new_shape):
    elements = math.prod(shape)
    if list(new_shape).count(-1) == 1 and elements:
        known = math.prod(size for size in new_shape if size != -1)
        if known > 0 and elements % known == 0:
            new_shape = [int(elements / known) if size == -1 else size for size in new_shape]
    return _right_view_strides(shape, strides, new_shape)
