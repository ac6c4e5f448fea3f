"""Strides: how the elements of a tensor are laid out in flat storage.

A layout is (shape, strides, offset): size and stride of each dimension, and the position of the
element at index (0, …, 0), all counted in elements, never in bytes. The element at `index` is at
position `sum(index[d] * strides[d]) + offset`. In every function a stride may be 0 (repeated
elements) or negative (backwards, as in numpy; torch has none).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from jaxtyping import Shaped

# Shape, strides and offset, in elements.
Layout = tuple[tuple[int, ...], tuple[int, ...], int]


def row_major_strides(shape: Sequence[int]) -> tuple[int, ...]:
    """The strides of a tensor whose elements are stored row after row, without gaps.

    Returns:
        One stride for each dimension, in elements. The last is 1; every other one is the product of
        the sizes to its right, where a size of 0 counts as 1, as in torch. () for a scalar.

    In a 4×4 tensor, the next row starts 4 elements later:

        row_major_strides((4, 4))  # (4, 1)
    """
    raise NotImplementedError(
        "storage_index: not started; see assignment/writeup/strides.md, "
        "or make hint EX=storage_index"
    )


def storage_index(index: Sequence[int], strides: Sequence[int], offset: int = 0) -> int:
    """The position of an element in flat storage.

    Args:
        index: one index for each dimension, none of them negative.

    Returns:
        The position in storage, in elements: `sum(index[d] * strides[d]) + offset`.

    In a 4×4 row-major tensor the element (1, 2) is at position 6:

        storage_index((1, 2), (4, 1))  # 6
    """
    raise NotImplementedError(
        "storage_index: not started; see assignment/writeup/strides.md, "
        "or make hint EX=storage_index"
    )


def is_contiguous(shape: Sequence[int], strides: Sequence[int]) -> bool:
    """Whether the elements are stored in row-major order, without gaps or repeats.

    The rules are those of `torch.Tensor.is_contiguous`: the stride of a dimension of size 1 is
    never used, so it may have any value; a tensor without elements is contiguous whatever its
    strides; a scalar is contiguous.

    The transpose of a 2×3 tensor is not contiguous:

        is_contiguous((3, 2), (1, 3))  # False
    """
    raise NotImplementedError(
        "storage_index: not started; see assignment/writeup/strides.md, "
        "or make hint EX=storage_index"
    )


def transpose(
    shape: Sequence[int], strides: Sequence[int], offset: int, dim0: int, dim1: int
) -> Layout:
    """The layout of a tensor with two dimensions swapped; no element moves.

    Args:
        dim0: one dimension, from -ndim to ndim - 1; a negative one counts from the end.
        dim1: the other dimension; may be the same.

    Returns:
        (shape, strides, offset) of the result.

    The transpose of a 2×3 tensor:

        transpose((2, 3), (3, 1), 0, 0, 1)  # ((3, 2), (1, 3), 0)
    """
    raise NotImplementedError(
        "view_metadata: not started; see assignment/writeup/strides.md, "
        "or make hint EX=view_metadata"
    )


def slice_dim(
    shape: Sequence[int],
    strides: Sequence[int],
    offset: int,
    dim: int,
    start: int | None,
    stop: int | None,
    step: int = 1,
) -> Layout:
    """The layout of `x[..., start:stop:step, ...]`, sliced along one dimension; no element moves.

    `start` and `stop` follow Python's slices, as in torch: a negative value counts from the end, a
    value out of range is moved to the nearest end, None means the beginning for `start` and the end
    for `stop`, and a `stop` before `start` gives a dimension of size 0. The offset moves to `start`
    (moved into range), even if nothing is left; the stride is multiplied by `step`, even if only
    one element is left.

    Args:
        dim: the dimension to slice, from -ndim to ndim - 1; a negative one counts from the end.
        start: first index to keep.
        stop: first index after those to keep.
        step: distance between the indices to keep, 1 or more.

    Returns:
        (shape, strides, offset) of the result.

    Every second column of a 4×4 tensor, from column 1:

        slice_dim((4, 4), (4, 1), 0, 1, 1, 4, 2)  # ((4, 2), (4, 2), 1)
    """
    raise NotImplementedError(
        "view_metadata: not started; see assignment/writeup/strides.md, "
        "or make hint EX=view_metadata"
    )


def select(
    shape: Sequence[int], strides: Sequence[int], offset: int, dim: int, index: int
) -> Layout:
    """The layout of `x[..., index, ...]`, with one dimension fixed and removed; no element moves.

    Args:
        dim: the dimension to fix, from -ndim to ndim - 1; a negative one counts from the end.
        index: the index to fix it at, from -size to size - 1; a negative one counts from the end.

    Returns:
        (shape, strides, offset) of the result, which has one dimension less.

    Column 2 of a 4×4 tensor:

        select((4, 4), (4, 1), 0, 1, 2)  # ((4,), (4,), 2)
    """
    raise NotImplementedError(
        "view_metadata: not started; see assignment/writeup/strides.md, "
        "or make hint EX=view_metadata"
    )


def view_strides(
    shape: Sequence[int], strides: Sequence[int], new_shape: Sequence[int]
) -> tuple[int, ...] | None:
    """The strides with which the same storage has a new shape, or None if there are none.

    This decides whether `torch.Tensor.view` works: the elements must keep their order, and each new
    dimension must have a single stride. Broadcast dimensions (stride 0) count like all others:
    neighbours that both have stride 0 can become one dimension. A tensor without elements can be
    viewed as any shape without elements.

    Args:
        new_shape: size of each new dimension. One of them may be -1: it is then computed so that
            the number of elements matches.

    Returns:
        One stride for each new dimension, in elements, or None if no view exists and the elements
        would have to be copied. The stride of a dimension of size 1 is never used, nor is any
        stride of a view without elements: there every int is right. () for a new shape of ().

    Raises:
        ValueError: `new_shape` has a different number of elements, whatever its -1 stands for; it
            has more than one -1; or -1 is ambiguous, because there are no elements and another size
            of `new_shape` is 0.

    A row-major 2×3 tensor can be viewed as 6 elements, but its transpose cannot:

        view_strides((2, 3), (3, 1), (6,))  # (1,)
        view_strides((3, 2), (1, 3), (6,))  # None
    """
    raise NotImplementedError(
        "view_strides: not started; see assignment/writeup/strides.md, or make hint EX=view_strides"
    )


def gather(
    storage: Shaped[torch.Tensor, " n"],
    shape: Sequence[int],
    strides: Sequence[int],
    offset: int = 0,
) -> Shaped[torch.Tensor, "..."]:
    """The tensor that a layout describes in flat storage, as a copy.

    Layouts may repeat elements, overlap (windows), and go backwards. Without elements nothing is
    read, and any offset is valid.

    Args:
        storage: n elements of any dtype that torch can index; it requires no gradient. It may be
            part of a larger tensor, a slice or a column: positions count within `storage`, and
            elements outside of it must not be read.

    Returns:
        A tensor of this shape and of storage's dtype. It shares no memory with `storage`.

    Raises:
        IndexError: an element is before the start of storage or after its end. A negative position
            does not count from the end.

    Windows of 3 over 5 elements, each shifted by 1:

        gather(torch.arange(5), (3, 3), (1, 1))  # [[0, 1, 2], [1, 2, 3], [2, 3, 4]]
    """
    raise NotImplementedError(
        "gather: not started; see assignment/writeup/strides.md, or make hint EX=gather"
    )
