"""Bytes, with numbers to check by hand."""

import pytest
import torch

from assignment.expect import expect


@pytest.mark.exercise("bytes_per_element")
def test_float32_is_four_bytes(impl):
    """float32 takes 4 bytes, bfloat16 and float16 take 2, float64 takes 8"""
    for dtype, size in [
        (torch.float32, 4),
        (torch.bfloat16, 2),
        (torch.float16, 2),
        (torch.float64, 8),
    ]:
        expect(impl.dtypes.bytes_per_element(dtype), f"bytes of {dtype}").equals(
            size, hint="8 bits are a byte"
        )


@pytest.mark.exercise("bytes_per_element")
def test_widths_that_the_name_does_not_say(impl):
    """A bool takes a whole byte; a complex number is two real ones"""
    for dtype, size in [(torch.bool, 1), (torch.complex64, 8), (torch.float8_e4m3fn, 1)]:
        expect(impl.dtypes.bytes_per_element(dtype), f"bytes of {dtype}").equals(
            size, hint="a bool could do with a bit, but memory is addressed in bytes"
        )


@pytest.mark.exercise("bytes_per_element")
def test_refuses_what_has_no_whole_byte_count(impl):
    """A 4-bit integer has no whole number of bytes, and a string is no dtype"""
    expect(impl.dtypes.bytes_per_element(torch.int8)).equals(1)
    with pytest.raises(ValueError):
        impl.dtypes.bytes_per_element(torch.uint4)
    with pytest.raises(TypeError):
        impl.dtypes.bytes_per_element("float32")


@pytest.mark.exercise("tensor_bytes")
def test_a_small_matrix(impl):
    """A 4×8 matrix takes 128 bytes in float32 and 64 in bfloat16"""
    expect(impl.dtypes.tensor_bytes((4, 8), torch.float32)).equals(
        128, hint="32 elements of 4 bytes each"
    )
    expect(impl.dtypes.tensor_bytes((4, 8), torch.bfloat16)).equals(64)


@pytest.mark.exercise("tensor_bytes")
def test_a_feed_forward_matrix_of_gpt3(impl):
    """One feed-forward matrix of GPT-3, 49152×12288, takes 2304 MiB in float32"""
    expect(impl.dtypes.tensor_bytes((49152, 12288), torch.float32)).equals(
        2304 * 2**20, hint="MiB are powers of two: 2**20 bytes"
    )


@pytest.mark.exercise("tensor_bytes")
def test_a_scalar_and_an_empty_tensor(impl):
    """The shape () is one element; a dimension of size 0 leaves none"""
    expect(impl.dtypes.tensor_bytes((), torch.float32)).equals(
        4, hint="the product of no sizes is 1"
    )
    expect(impl.dtypes.tensor_bytes((1024, 0), torch.float32)).equals(0)


@pytest.mark.exercise("tensor_bytes")
def test_refuses_a_negative_size(impl):
    """A negative size is refused"""
    expect(impl.dtypes.tensor_bytes((2, 3), torch.int8)).equals(6)
    with pytest.raises(ValueError):
        impl.dtypes.tensor_bytes((2, -3), torch.int8)
