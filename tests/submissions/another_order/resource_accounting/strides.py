"""Strides: other formulas, from the first dimension to the last, and numpy where it helps."""

import functools
import itertools
import math
import operator

import torch


def _refuse_unless_a_layout(shape, strides):
    if len(shape) != len(strides) or min(shape, default=0) < 0:
        raise ValueError(f"no layout: {shape}, {strides}")


def _at(dim, shape):
    return range(len(shape))[dim]  # raises IndexError


def row_major_strides(shape):
    if min(shape, default=0) < 0:
        raise ValueError("a size is negative")
    products = itertools.accumulate((max(n, 1) for n in shape[:0:-1]), operator.mul, initial=1)
    return tuple(products)[: len(shape)][::-1]


def storage_index(index, strides, offset=0):
    if len(index) != len(strides) or min(index, default=0) < 0:
        raise ValueError("no index of this layout")
    return functools.reduce(lambda at, pair: at + pair[0] * pair[1], zip(index, strides), offset)


def is_contiguous(shape, strides):
    _refuse_unless_a_layout(shape, strides)
    used = [(n, s) for n, s in zip(shape, strides) if n != 1]
    fresh = row_major_strides([n for n, _ in used])
    return 0 in shape or tuple(s for _, s in used) == fresh


def transpose(shape, strides, offset, dim0, dim1):
    _refuse_unless_a_layout(shape, strides)
    swap = {_at(dim0, shape): _at(dim1, shape), _at(dim1, shape): _at(dim0, shape)}
    order = [swap.get(d, d) for d in range(len(shape))]
    return tuple(map(shape.__getitem__, order)), tuple(map(strides.__getitem__, order)), offset


def slice_dim(shape, strides, offset, dim, start, stop, step=1):
    _refuse_unless_a_layout(shape, strides)
    dim = _at(dim, shape)
    if step < 1:
        raise ValueError("a step of 1 or more is expected")
    first, last, _ = slice(start, stop).indices(shape[dim])
    sizes, steps = list(shape), list(strides)
    sizes[dim] = max(0, math.ceil((last - first) / step))
    steps[dim] = step * strides[dim]
    return tuple(sizes), tuple(steps), first * strides[dim] + offset


def select(shape, strides, offset, dim, index):
    _refuse_unless_a_layout(shape, strides)
    dim = _at(dim, shape)
    sizes, steps = list(shape), list(strides)
    offset += range(sizes.pop(dim))[index] * steps.pop(dim)
    return tuple(sizes), tuple(steps), offset


def view_strides(shape, strides, new_shape):
    """From the left: matching groups of old and new dimensions with equally many elements."""
    _refuse_unless_a_layout(shape, strides)
    elements, wanted = math.prod(shape), list(new_shape)
    if min(wanted, default=0) < -1 or wanted.count(-1) > 1:
        raise ValueError("no shape")
    if -1 in wanted:
        others = -math.prod(wanted)
        if others == 0 or elements % others:
            raise ValueError("no size fits")
        wanted[wanted.index(-1)] = elements // others
    if math.prod(wanted) != elements:
        raise ValueError("another number of elements")
    if elements == 0:
        return tuple(0 for _ in wanted)
    old = [(n, s) for n, s in zip(shape, strides) if n > 1]
    new = [(d, n) for d, n in enumerate(wanted) if n > 1]
    found = [0] * len(wanted)
    while new:
        olds, news = [old.pop(0)], [new.pop(0)]
        while (left := math.prod(n for n, _ in olds)) != (right := math.prod(n for _, n in news)):
            if left < right:
                olds.append(old.pop(0))
            else:
                news.append(new.pop(0))
        for (_, outer), (n, inner) in itertools.pairwise(olds):
            if outer != n * inner:
                return None
        step = olds[-1][1]
        for d, n in reversed(news):
            found[d], step = step, step * n
    return tuple(found)


def gather(storage, shape, strides, offset=0):
    _refuse_unless_a_layout(shape, strides)
    if 0 in shape:
        return storage.new_empty(tuple(shape))
    positions = torch.tensor(offset)
    for size, stride in zip(shape, strides):
        positions = positions.unsqueeze(-1) + stride * torch.arange(size)
    if int(positions.min()) < 0 or int(positions.max()) >= storage.shape[0]:
        raise IndexError("an element lies outside of storage")
    return storage.index_select(0, positions.flatten()).view(positions.shape)
