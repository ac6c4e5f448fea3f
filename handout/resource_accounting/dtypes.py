"""Dtypes: the bytes of a number, of a tensor, and of a set of tensors.

All byte counts are exact Python ints.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import torch


def bytes_per_element(dtype: torch.dtype) -> int:
    """Bytes that one element of a tensor takes.

    One element of `torch.complex64` is two float32 numbers, 8 bytes. One element of
    `torch.float4_e2m1fn_x2` is a pair of 4-bit numbers, 1 byte. Likewise, one element of `bits1x8`,
    `bits2x4` and `bits4x2` is a group that fills a byte.

    Args:
        dtype: a dtype of torch with elements of whole bytes: floating point (the 8-bit formats
            too), integer, bool, complex, quantized, or bits.

    bfloat16 has 16 bits:

        bytes_per_element(torch.bfloat16)  # 2
    """
    raise NotImplementedError(
        "bytes_per_element: not started; see assignment/writeup/dtypes.md, "
        "or make hint EX=bytes_per_element"
    )


def tensor_bytes(shape: Sequence[int], dtype: torch.dtype) -> int:
    """Bytes of a dense tensor's elements.

    Args:
        shape: size of each dimension; () is a scalar, which is one element.
        dtype: the elements' dtype, as for `bytes_per_element`.

    Returns:
        Number of elements × bytes per element, exact however large; 0 if any size is 0.

    A 4×8 matrix of float32 takes 128 bytes:

        tensor_bytes((4, 8), torch.float32)  # 128
    """
    raise NotImplementedError(
        "tensor_bytes: not started; see assignment/writeup/dtypes.md, or make hint EX=tensor_bytes"
    )


def storage_bytes(tensors: Iterable[torch.Tensor]) -> int:
    """Bytes of memory that a set of tensors holds together.

    Views (rows, columns, slices, `transpose`, `view`, `expand`, also as another dtype), `detach()`
    and `torch.nn.Parameter(t)` share the storage of the tensor that they were made from: they take
    no additional memory, and each keeps the whole storage alive, even a view without elements.
    Copies (`clone`, `contiguous` of a transpose) have their own storage.

    Args:
        tensors: dense tensors of any dtypes, whose memory torch allocated; may be a generator, such
            as `model.parameters()`, or one that makes tensors and keeps none of them: all count.
            The same tensor may occur several times.

    Returns:
        The bytes of all storages that the tensors use: each storage in full, and counted once. A
        tensor on the meta device has a shape but no memory, and adds 0.

    A matrix and its transpose share a storage, of 4096 bytes for 32×32 in float32:

        a, b = torch.zeros(32, 32), torch.zeros(32, 32)
        storage_bytes([a, b])          # 8192
        storage_bytes([a, a.T, a[0]])  # 4096
    """
    raise NotImplementedError(
        "storage_bytes: not started; see assignment/writeup/dtypes.md, "
        "or make hint EX=storage_bytes"
    )


def bits_per_element(element_bits: int, block_size: int, scale_bits: int) -> float:
    """Average bits per element of a block-scaled format, including its share of a scale.

    In a block-scaled format the elements of each block of `block_size` share one scale: a
    value is its element times the scale. The average is for full blocks; a scale of the whole
    tensor does not count.

    Args:
        element_bits: bits of one element, at least 1.
        block_size: elements that share a scale, at least 1.
        scale_bits: bits of one scale; 0 if there is none.

    NVFP4 has 4-bit elements, and an 8-bit scale per 16 of them:

        bits_per_element(4, 16, 8)  # 4.5
    """
    raise NotImplementedError(
        "block_scaled: not started; see assignment/writeup/dtypes.md, or make hint EX=block_scaled"
    )


def block_scaled_bytes(
    shape: Sequence[int],
    element_bits: int,
    block_size: int,
    scale_bits: int,
    tensor_scale_bits: int = 0,
) -> int:
    """Bytes of a tensor in a block-scaled format.

    Blocks run along the last dimension and never continue into the next row: a row of n elements
    has n / block_size blocks, rounded up, and its last block has a whole scale however few elements
    it has. No elements are added to fill it.

    There are three parts, stored separately: the elements of all rows, the scales of all blocks,
    and the scale of the tensor. Each part is packed bit by bit, and rounded up to whole bytes once,
    at its end.

    Args:
        shape: size of each dimension; () is a scalar, one row of one element.
        element_bits, block_size, scale_bits: as for `bits_per_element`.
        tensor_scale_bits: bits of an additional scale for the whole tensor, which a tensor without
            elements has too; 0 if there is none.

    Returns:
        Bytes of the three parts together, exact however large.

    A row of 40 elements in NVFP4 is 20 bytes and 3 scales of 1 byte, and 4 bytes for the tensor:

        block_scaled_bytes((40,), 4, 16, 8, 32)  # 27
    """
    raise NotImplementedError(
        "block_scaled: not started; see assignment/writeup/dtypes.md, or make hint EX=block_scaled"
    )
