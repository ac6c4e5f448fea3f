"""Bytes, held against torch over every dtype that it has."""

import numpy as np
import pytest
import torch

from assignment.expect import expect

DTYPES = sorted({d for d in vars(torch).values() if isinstance(d, torch.dtype)}, key=str)
NARROW = [
    *(f"{sign}int{bits}" for sign in ("", "u") for bits in range(1, 8)),
    "quint4x2",
    "quint2x4",
]
# Exercises that build on bytes_per_element keep to these, so that each rule is decided once.
COMMON = [torch.float64, torch.float32, torch.bfloat16, torch.int64, torch.uint8]


def sizes_are_torchs(impl, rng, dtypes):
    for i in rng.permutation(len(dtypes)):
        dtype = dtypes[i]
        expect(impl.dtypes.bytes_per_element(dtype), f"bytes of {dtype}").equals(
            torch.empty(0, dtype=dtype).element_size()
        )


@pytest.mark.exercise("bytes_per_element")
def test_floating_point(impl, rng):
    """Every floating-point dtype has torch's size, the 8-bit formats too"""
    sizes_are_torchs(impl, rng, [d for d in DTYPES if d.is_floating_point])


@pytest.mark.exercise("bytes_per_element")
def test_integers_and_bool(impl, rng):
    """Every integer dtype of whole bytes, and bool, has torch's size"""
    widths = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool"]
    sizes_are_torchs(impl, rng, [getattr(torch, name) for name in widths])


@pytest.mark.exercise("bytes_per_element")
def test_complex(impl):
    """A complex number takes as much as its real and imaginary parts"""
    for dtype in (d for d in DTYPES if d.is_complex):
        part = torch.empty(0, dtype=dtype.to_real())
        expect(impl.dtypes.bytes_per_element(dtype), f"bytes of {dtype}").equals(
            2 * part.element_size()
        )


@pytest.mark.exercise("bytes_per_element")
def test_quantized_and_bits(impl):
    """Quantized and bits dtypes of whole bytes have the size of what stores them"""
    stored_as = {"qint8": 1, "quint8": 1, "qint32": 4, "bits8": 1, "bits16": 2}
    shared_byte = {"bits1x8": 1, "bits2x4": 1, "bits4x2": 1}
    for name, size in (stored_as | shared_byte).items():
        dtype = getattr(torch, name)
        expect(impl.dtypes.bytes_per_element(dtype), f"bytes of {dtype}").equals(size)


@pytest.mark.exercise("bytes_per_element")
def test_refuses_what_does_not_fill_a_byte(impl, rng):
    """A dtype whose elements do not fill a byte is refused with a ValueError"""
    for i in rng.permutation(len(NARROW)):
        with pytest.raises(ValueError):
            impl.dtypes.bytes_per_element(getattr(torch, NARROW[i]))
    expect(impl.dtypes.bytes_per_element(torch.int8)).equals(1)
    expect(impl.dtypes.bytes_per_element(torch.int32)).equals(4)


@pytest.mark.exercise("bytes_per_element")
def test_refuses_what_is_no_dtype(impl):
    """What is no torch.dtype is refused with a TypeError"""
    for other in ["float32", "torch.float32", 4, None, np.dtype("float32"), (torch.float32,)]:
        with pytest.raises(TypeError):
            impl.dtypes.bytes_per_element(other)
    for dtype, size in {torch.float64: 8, torch.float8_e5m2: 1, torch.complex64: 8}.items():
        expect(impl.dtypes.bytes_per_element(dtype)).equals(size)


@pytest.mark.exercise("tensor_bytes")
def test_bytes_of_random_shapes(impl, rng):
    """A tensor takes as many bytes as torch says, in every shape and dtype"""
    for _ in range(60):
        shape = [int(n) for n in rng.choice([1, 2, 3, 7, 32, 1023], size=int(rng.integers(1, 5)))]
        dtype = COMMON[int(rng.integers(len(COMMON)))]
        held = torch.empty(shape, dtype=dtype, device="meta").untyped_storage().nbytes()
        expect(impl.dtypes.tensor_bytes(shape, dtype), f"bytes of {shape} in {dtype}").equals(held)


@pytest.mark.exercise("tensor_bytes")
def test_a_scalar_is_one_element(impl):
    """A scalar, of shape (), is one element"""
    for dtype in COMMON:
        expect(impl.dtypes.tensor_bytes((), dtype), f"bytes of () in {dtype}").equals(
            torch.zeros((), dtype=dtype).nbytes
        )


@pytest.mark.exercise("tensor_bytes")
def test_a_dimension_of_size_0_leaves_nothing(impl, rng):
    """A tensor with a dimension of size 0 takes no bytes, wherever it stands"""
    for _ in range(10):
        shape = [int(n) for n in rng.integers(1, 1024, size=int(rng.integers(1, 5)))]
        empty = list(shape)
        empty[int(rng.integers(len(shape)))] = 0
        expect(impl.dtypes.tensor_bytes(empty, torch.float32)).equals(0)
        expect(impl.dtypes.tensor_bytes(shape, torch.float32)).equals(
            torch.empty(shape, device="meta").nbytes
        )


@pytest.mark.exercise("tensor_bytes")
def test_huge_tensors_are_exact(impl, rng):
    """Byte counts beyond 64 bits are exact integers"""
    for _ in range(10):
        rows, columns = (int(n) for n in rng.integers(2**40, 2**41, size=2) | 1)
        expect(impl.dtypes.tensor_bytes((rows, columns), torch.bfloat16)).equals(2 * rows * columns)


@pytest.mark.exercise("tensor_bytes")
def test_refuses_negative_sizes(impl):
    """A shape with a negative size is refused, even if its product is not negative"""
    for shape in [(-1,), (2, -3), (-2, -3), (0, -1), (-1, 0)]:
        with pytest.raises(ValueError):
            impl.dtypes.tensor_bytes(shape, torch.float32)
    expect(impl.dtypes.tensor_bytes((2, 3), torch.float32)).equals(24)
