"""Bytes, with numbers to check by hand."""

import pytest
import torch

from assignment.expect import expect


@pytest.mark.exercise("bytes_per_element")
def test_float32_is_four_bytes(impl):
    """float32 takes 4 bytes, bfloat16 and float16 take 2, float64 takes 8; each is an int"""
    sizes = {torch.float32: 4, torch.bfloat16: 2, torch.float16: 2, torch.float64: 8}
    for dtype, size in sizes.items():
        expect(impl.dtypes.bytes_per_element(dtype), f"bytes of {dtype}").equals(
            size, hint="8 bits are a byte"
        )


@pytest.mark.exercise("bytes_per_element")
def test_widths_that_the_name_does_not_say(impl):
    """A bool takes a whole byte; a complex number takes two real numbers"""
    for dtype, size in [(torch.bool, 1), (torch.complex64, 8), (torch.float8_e4m3fn, 1)]:
        expect(impl.dtypes.bytes_per_element(dtype), f"bytes of {dtype}").equals(
            size, hint="memory is addressed in whole bytes; a complex number is two floats"
        )


@pytest.mark.exercise("bytes_per_element")
def test_groups_that_fill_a_byte(impl):
    """A group of narrow numbers that fills a byte takes one byte, and so does quint8"""
    for name, size in {"bits1x8": 1, "bits2x4": 1, "bits4x2": 1, "quint8": 1, "qint32": 4}.items():
        found = impl.dtypes.bytes_per_element(getattr(torch, name))
        expect(found, f"bytes of {name}").equals(size)


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
def test_bytes_of_random_shapes(impl, rng):
    """The elements of any shape, times the bytes of one, are exact however many there are"""
    dtypes = [torch.int8, torch.bfloat16, torch.float32, torch.complex128, torch.bits2x4]
    for i in range(20):
        shape = [int(n) for n in rng.choice([1, 2, 3, 1023, 2**40 + 1], size=i % 4)]
        elements = 1
        for size in shape:
            elements *= size
        expect(
            impl.dtypes.tensor_bytes(shape, dtypes[i % 5]), f"{shape} of {dtypes[i % 5]}"
        ).equals(elements * [1, 2, 4, 16, 1][i % 5])


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


@pytest.mark.exercise("storage_bytes")
def test_random_sets_of_tensors(impl, rng):
    """Of random tensors and views, from a generator, each storage counts once and in full"""
    for _ in range(8):
        steps, chosen, total = [], [], 0
        for _ in range(int(rng.integers(1, 4))):
            rows, base = int(rng.integers(2, 99)), len(steps)
            narrow = bool(rng.random() < 0.5)
            steps += [
                ("new", (rows, 6), torch.int16 if narrow else torch.complex64),
                ("narrow", base, 0, 1, 0),
                ("detach", base),
                ("view", base, torch.uint8 if narrow else torch.float32),
                ("select", base, 1, 3),
            ]
            shown = [int(n) for n in rng.permutation(5)[: int(rng.integers(1, 4))]]
            chosen += [base + n for n in (*shown, shown[0])]
            total += rows * 6 * (2 if narrow else 8)
        empty = impl.scenarios.storage_bytes_of(steps[:2], [1])
        expect(empty, f"bytes of an empty slice of {steps[0]}").equals(
            steps[0][1][0] * 6 * (2 if steps[0][2] is torch.int16 else 8)
        )
        found = impl.scenarios.storage_bytes_of(steps, chosen, generator=True)
        expect(found, f"bytes of tensors {chosen} of {steps}").equals(
            total,
            hint="each storage counts once, also two of one size; a generator is read only once",
        )


@pytest.mark.exercise("storage_bytes")
def test_tensors_that_are_not_kept(impl):
    """A generator makes each tensor when it is asked; meta has no bytes, a storage its odd ones"""
    steps = [("new", (1000, 3), torch.float32), ("new", (5,), torch.float64, "meta")]
    found = impl.scenarios.storage_bytes_of(steps, [0] * 40, copies=True)
    expect(found, "the bytes of forty copies").equals(
        480_000, hint="keep what you compare: the address of a storage that is freed is used again"
    )
    expect(impl.scenarios.storage_bytes_of(steps, [0, 1]), "with a tensor on meta").equals(
        12_000, hint="a tensor on the meta device has no memory"
    )
    odd = [("new", (7,), torch.uint8), ("narrow", 0, 0, 0, 4), ("view", 1, torch.float32)]
    expect(impl.scenarios.storage_bytes_of(odd, [2]), "one float32 in 7 bytes").equals(7)
    large = [("new", (2**25 + 1,), torch.uint8, "cpu"), ("new", (1,), torch.uint8)]
    expect(impl.scenarios.storage_bytes_of(large, [0, 1])).equals(2**25 + 2)


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
    """A row of 40 elements has 3 scales in NVFP4 and no padding; two such rows have 6"""
    expect(impl.dtypes.block_scaled_bytes((40,), 4, 16, 8)).equals(
        23, hint="20 bytes of elements, plus one scale each for 16, 16 and 8 elements"
    )
    expect(impl.dtypes.block_scaled_bytes((2, 40), 4, 16, 8)).equals(
        46, hint="a block never continues into the next row"
    )


@pytest.mark.exercise("block_scaled")
def test_bytes_of_random_formats(impl, rng):
    """Elements, block scales and the tensor's scale are each rounded up to whole bytes, once; a
    tensor without elements has only its own scale"""
    for i in range(20):
        shape = [int(n) for n in rng.integers(0 if i % 4 == 3 else 1, 20, size=i % 4)]
        element, block, scale, whole = (int(n) for n in rng.integers([1, 1, 0, 0], [9, 7, 9, 33]))
        elements, blocks = 1, 1
        for size in shape:
            elements *= size
        for size in [*shape[:-1], len(range(0, (shape or [1])[-1], block))]:
            blocks *= size
        expected = sum((bits + 7) // 8 for bits in (elements * element, blocks * scale, whole))
        arguments = (shape, element, block, scale, whole)
        expect(impl.dtypes.block_scaled_bytes(*arguments), f"block_scaled_bytes{arguments}").equals(
            expected, hint=None if shape else "a scalar, () or [], is one row of one element"
        )
    expect(impl.dtypes.block_scaled_bytes((0, 3), 4, 16, 8, 9)).equals(
        2, hint="a tensor without elements has its own scale, but no block scales"
    )
    huge = 2**60 + 1
    expect(impl.dtypes.block_scaled_bytes((huge,), 8, 2, 8)).equals(huge + 2**59 + 1)
