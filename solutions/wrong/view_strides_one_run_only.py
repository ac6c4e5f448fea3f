"""view_strides (core): a view has the old sizes, or is of one run of evenly spaced elements

Breaks: This decides whether `torch.Tensor.view` works:
"""


def view_strides(shape, strides, new_shape):
    new_shape = _infer_size(new_shape, math.prod(shape))
    used = [(n, s) for n, s in zip(shape, strides, strict=True) if n != 1]
    step = used[-1][1] if used else 1
    spaced = [step * s for s in row_major_strides([n for n, _ in used])]
    if math.prod(shape) == 0 or [s for _, s in used] == spaced:
        return tuple(step * s for s in row_major_strides(new_shape))
    if [n for n in new_shape if n != 1] == [n for n, _ in used]:
        left = [s for _, s in used]
        return tuple(left.pop(0) if n != 1 else 1 for n in new_shape)
    return None
