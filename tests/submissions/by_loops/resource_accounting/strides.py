"""Strides, in loops."""

import torch


def _check(shape, strides):
    if len(shape) != len(strides):
        raise ValueError("lengths differ")
    for size in shape:
        if size < 0:
            raise ValueError("negative size")


def _dim(dim, ndim):
    if dim < 0:
        dim += ndim
    if dim < 0 or dim >= ndim:
        raise IndexError("no such dimension")
    return dim


def _indices(shape):
    """All indices of a shape, in row-major order."""
    found = [()]
    for size in shape:
        found = [(*index, i) for index in found for i in range(size)]
    return found


def row_major_strides(shape):
    _check(shape, shape)
    strides = []
    for d in range(len(shape)):
        stride = 1
        for size in shape[d + 1 :]:
            if size > 0:
                stride *= size
        strides.append(stride)
    return strides


def storage_index(index, strides, offset=0):
    if len(index) != len(strides):
        raise ValueError("lengths differ")
    position = offset
    for d in range(len(index)):
        if index[d] < 0:
            raise ValueError("negative index")
        position += index[d] * strides[d]
    return position


def is_contiguous(shape, strides):
    _check(shape, strides)
    expected = 0
    for index in _indices(shape):
        if storage_index(index, strides) != expected:
            return False
        expected += 1
    return True


def transpose(shape, strides, offset, dim0, dim1):
    _check(shape, strides)
    dim0, dim1 = _dim(dim0, len(shape)), _dim(dim1, len(shape))
    shape, strides = list(shape), list(strides)
    for values in (shape, strides):
        kept = values[dim0]
        values[dim0] = values[dim1]
        values[dim1] = kept
    return shape, strides, offset


def slice_dim(shape, strides, offset, dim, start, stop, step=1):
    _check(shape, strides)
    dim = _dim(dim, len(shape))
    if step <= 0:
        raise ValueError("step")
    size = shape[dim]
    bounds = []
    for bound, default in ((start, 0), (stop, size)):
        if bound is None:
            bound = default
        if bound < 0:
            bound += size
        bounds.append(min(max(bound, 0), size))
    count, at = 0, bounds[0]
    while at < bounds[1]:
        count += 1
        at += step
    shape, strides = list(shape), list(strides)
    offset += bounds[0] * strides[dim]
    shape[dim] = count
    strides[dim] *= step
    return shape, strides, offset


def select(shape, strides, offset, dim, index):
    _check(shape, strides)
    dim = _dim(dim, len(shape))
    if index < 0:
        index += shape[dim]
    if index < 0 or index >= shape[dim]:
        raise IndexError("no such index")
    kept = [d for d in range(len(shape)) if d != dim]
    return [shape[d] for d in kept], [strides[d] for d in kept], offset + index * strides[dim]


def view_strides(shape, strides, new_shape):
    _check(shape, strides)
    elements = 1
    for size in shape:
        elements *= size
    new_shape, unknown, known = list(new_shape), None, 1
    for d, size in enumerate(new_shape):
        if size == -1:
            if unknown is not None:
                raise ValueError("two unknown sizes")
            unknown = d
        elif size < 0:
            raise ValueError("negative size")
        else:
            known *= size
    if unknown is not None:
        if known == 0:
            raise ValueError("any size would do")
        new_shape[unknown] = elements // known
        known *= new_shape[unknown]
    if known != elements:
        raise ValueError("another number of elements")
    if elements == 0:
        return [1] * len(new_shape)
    # The positions of the elements in order; then the strides that give these positions.
    positions = [storage_index(index, strides) for index in _indices(shape)]
    found = []
    for d, size in enumerate(new_shape):
        step = 1
        for inner in new_shape[d + 1 :]:
            step *= inner
        found.append(positions[step] - positions[0] if size > 1 else 1)
    for n, index in enumerate(_indices(new_shape)):
        if storage_index(index, found) != positions[n]:
            return None
    return found


def gather(storage, shape, strides, offset=0):
    _check(shape, strides)
    taken = []
    for index in _indices(shape):
        position = storage_index(index, strides, offset)
        if position < 0 or position >= storage.numel():
            raise IndexError("beyond storage")
        taken.append(storage[position].item())
    return torch.tensor(taken, dtype=storage.dtype).reshape(tuple(shape))
