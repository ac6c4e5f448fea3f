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
    """A bool takes a whole byte; a complex number takes two real numbers"""
    for dtype, size in [(torch.bool, 1), (torch.complex64, 8), (torch.float8_e4m3fn, 1)]:
        expect(impl.dtypes.bytes_per_element(dtype), f"bytes of {dtype}").equals(
            size, hint="a bool needs only a bit, but memory is addressed in bytes"
        )


@pytest.mark.exercise("bytes_per_element")
def test_refuses_what_has_no_whole_byte_count(impl):
    """A 4-bit integer, which is not a whole number of bytes, and a string are refused"""
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
    """The shape () has one element; a shape with a size of 0 has none"""
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


MATRIX = ("new", (32, 32), torch.float32)


@pytest.mark.exercise("storage_bytes")
def test_two_matrices_and_one_that_is_there_twice(impl):
    """Two 32×32 matrices in float32 hold 8192 bytes; a matrix and its transpose hold 4096"""
    expect(impl.scenarios.storage_bytes_of([MATRIX, MATRIX], [0, 1])).equals(8192)
    expect(impl.scenarios.storage_bytes_of([MATRIX, ("transpose", 0, 0, 1)], [0, 1])).equals(
        4096, hint="a transpose shares the storage of its matrix: see untyped_storage()"
    )


@pytest.mark.exercise("storage_bytes")
def test_a_row_keeps_the_matrix(impl):
    """A row, a column and a view share the matrix's 4096 bytes, and each keeps all of them alive"""
    views = [MATRIX, ("select", 0, 0, 5), ("select", 0, 1, 7), ("view", 0, 1024)]
    expect(impl.scenarios.storage_bytes_of(views, [0, 1, 2, 3])).equals(
        4096, hint="a column begins at a different address than its matrix, but in the same storage"
    )
    for n in (1, 2, 3):
        expect(impl.scenarios.storage_bytes_of(views, [n]), f"bytes of tensor {n} alone").equals(
            4096, hint="a row keeps the whole storage alive"
        )


@pytest.mark.exercise("storage_bytes")
def test_contiguous_copies_a_transpose(impl):
    """`.contiguous()` of a transpose takes 4096 more bytes; of the matrix itself, none"""
    steps = [MATRIX, ("transpose", 0, 0, 1), ("contiguous", 1), ("view", 2, 1024)]
    expect(impl.scenarios.storage_bytes_of(steps, [0, 1, 2, 3])).equals(8192)
    expect(impl.scenarios.storage_bytes_of([MATRIX, ("contiguous", 0)], [0, 1])).equals(
        4096, hint="a contiguous tensor is returned unchanged"
    )


@pytest.mark.exercise("block_scaled")
def test_bits_of_the_usual_formats(impl):
    """NVFP4 takes 4.5 bits per element, MXFP8 8.25 and MXFP4 4.25"""
    for format, bits in [((4, 16, 8), 4.5), ((8, 32, 8), 8.25), ((4, 32, 8), 4.25)]:
        expect(impl.dtypes.bits_per_element(*format), f"bits of {format}").equals(
            bits, hint="add an element's own bits and its share of the scale"
        )


@pytest.mark.exercise("block_scaled")
def test_a_feed_forward_matrix_in_nvfp4(impl):
    """One feed-forward matrix of GPT-3 takes 324 MiB in NVFP4, plus 4 bytes for the tensor scale"""
    expect(impl.dtypes.block_scaled_bytes((49152, 12288), 4, 16, 8)).equals(324 * 2**20)
    expect(impl.dtypes.block_scaled_bytes((49152, 12288), 4, 16, 8, 32)).equals(324 * 2**20 + 4)


@pytest.mark.exercise("block_scaled")
def test_the_last_block_of_a_row(impl):
    """A row of 40 elements has 3 scales in NVFP4; two such rows have 6"""
    expect(impl.dtypes.block_scaled_bytes((40,), 4, 16, 8)).equals(
        23, hint="20 bytes of elements, plus one scale each for 16, 16 and 8 elements"
    )
    expect(impl.dtypes.block_scaled_bytes((2, 40), 4, 16, 8)).equals(
        46, hint="a block never continues into the next row"
    )


@pytest.mark.exercise("block_scaled")
def test_refuses_what_is_no_block(impl):
    """Blocks without elements and elements without bits are refused"""
    expect(impl.dtypes.bits_per_element(4, 1, 8)).equals(12.0)
    with pytest.raises(ValueError):
        impl.dtypes.bits_per_element(4, 0, 8)
    expect(impl.dtypes.block_scaled_bytes((3,), 8, 1, 8)).equals(6)
    with pytest.raises(ValueError):
        impl.dtypes.block_scaled_bytes((3,), 0, 1, 8)
