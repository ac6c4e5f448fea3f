"""Bytes, by asking torch."""

import functools
import operator
import re
from fractions import Fraction
from math import ceil

import torch


def bytes_per_element(dtype):
    if not isinstance(dtype, torch.dtype):
        raise TypeError("bytes_per_element takes a torch.dtype")
    if re.fullmatch(r"torch\.(u?int[1-7]|quint\dx\d)", str(dtype)):
        raise ValueError(f"{dtype} does not fill a byte")
    if dtype.is_complex:
        return 2 * bytes_per_element(dtype.to_real())
    if dtype.is_floating_point or not re.search("q|bits", str(dtype)):
        # Two elements on the meta device, so that nothing is allocated.
        return torch.empty(2, dtype=dtype, device="meta").untyped_storage().nbytes() // 2
    return dtype.itemsize


def tensor_bytes(shape, dtype):
    sizes = tuple(shape)
    if sizes and min(sizes) < 0:
        raise ValueError(f"negative size in {sizes}")
    return functools.reduce(operator.mul, sizes, 1) * bytes_per_element(dtype)


def storage_bytes(tensors):
    held = [t for t in tensors if t.device != torch.device("meta")]  # kept alive to the end
    return sum(dict((t.untyped_storage()._cdata, t.untyped_storage().nbytes()) for t in held).values())


def bits_per_element(element_bits, block_size, scale_bits):
    if min(element_bits, block_size, scale_bits + 1) < 1:
        raise ValueError("no such block")
    return float(Fraction(element_bits * block_size + scale_bits, block_size))


def block_scaled_bytes(shape, element_bits, block_size, scale_bits, tensor_scale_bits=0):
    bits_per_element(element_bits, block_size, scale_bits)
    if min([tensor_scale_bits, *shape]) < 0:
        raise ValueError("something is negative")
    sizes = (1, *shape) if shape else (1, 1)
    rows = functools.reduce(operator.mul, sizes[:-1])
    scales = ceil(Fraction(rows * ceil(Fraction(sizes[-1], block_size)) * scale_bits, 8))
    return ceil(Fraction(tensor_scale_bits, 8)) + scales + (rows * sizes[-1] * element_bits + 7) // 8
