"""Dtypes: how many bytes a number takes, and a tensor of them.

All results are bytes, as exact Python ints. Text that goes with them names its unit: kB, MB and GB
are powers of ten, KiB, MiB and GiB powers of two.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch


def bytes_per_element(dtype: torch.dtype) -> int:
    """Bytes that one element of a tensor takes.

    An element is what a tensor's shape counts. One element of `torch.complex64` is two float32
    numbers, 8 bytes. One element of `torch.float4_e2m1fn_x2` is a pair of 4-bit numbers, 1 byte;
    the same holds for `bits1x8`, `bits2x4` and `bits4x2`, which fill a byte between them.

    Args:
        dtype: any dtype of torch: floating point (the 8-bit formats too), integer, bool, complex,
            quantized, or bits.

    Returns:
        Whole bytes per element.

    Raises:
        TypeError: `dtype` is not a `torch.dtype`, for example the string "float32".
        ValueError: an element of this dtype does not fill a byte: `int1` … `int7`, `uint1` …
            `uint7`, `quint4x2`, `quint2x4`. How many bytes such elements take depends on how they
            are packed, so no whole number is right, although torch itself may say 1.

    bfloat16 keeps 16 bits of a number:

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
        dtype: the elements' dtype, as `bytes_per_element` takes it.

    Returns:
        Number of elements × bytes per element, exact however large; 0 if any size is 0.

    Raises:
        ValueError: a size is negative, even where another is 0, or the dtype has no whole byte
            count.
        TypeError: `dtype` is not a `torch.dtype`.

    A 4×8 matrix of float32 takes 128 bytes:

        tensor_bytes((4, 8), torch.float32)  # 128
    """
    raise NotImplementedError(
        "tensor_bytes: not started; see assignment/writeup/dtypes.md, or make hint EX=tensor_bytes"
    )


def storage_bytes(tensors: Sequence[torch.Tensor]) -> int:
    """x"""
    raise NotImplementedError(
        "storage_bytes: not started; see assignment/writeup/dtypes.md, "
        "or make hint EX=storage_bytes"
    )


def block_scaled_bytes(
    shape: Sequence[int],
    element_bits: int,
    block_size: int,
    scale_bits: int,
    tensor_scale_bits: int = 0,
) -> int:
    """x"""
    raise NotImplementedError(
        "block_scaled: not started; see assignment/writeup/dtypes.md, or make hint EX=block_scaled"
    )


def bits_per_element(element_bits: int, block_size: int, scale_bits: int) -> float:
    """x"""
    raise NotImplementedError(
        "block_scaled: not started; see assignment/writeup/dtypes.md, or make hint EX=block_scaled"
    )
