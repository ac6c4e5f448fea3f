"""Bytes, compared with torch for all its dtypes, and counted block by block."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
import torch

from assignment.expect import expect
from assignment.scenarios.dtypes import build

DTYPES = sorted({d for d in vars(torch).values() if isinstance(d, torch.dtype)}, key=str)
NARROW = [
    *(f"{sign}int{bits}" for sign in ("", "u") for bits in range(1, 8)),
    "quint4x2",
    "quint2x4",
]
# Exercises that build on bytes_per_element use only these, so that each rule is tested once.
COMMON = [torch.float64, torch.float32, torch.bfloat16, torch.int64, torch.uint8]


def sizes_are_torchs(impl, rng, dtypes):
    for i in rng.permutation(len(dtypes)):
        dtype = dtypes[i]
        expect(impl.dtypes.bytes_per_element(dtype), f"bytes of {dtype}").equals(
            torch.empty(0, dtype=dtype).element_size()
        )


@pytest.mark.exercise("bytes_per_element")
def test_floating_point(impl, rng):
    """Floating-point dtypes, including the 8-bit formats, have torch's size"""
    sizes_are_torchs(impl, rng, [d for d in DTYPES if d.is_floating_point])


@pytest.mark.exercise("bytes_per_element")
def test_integers_and_bool(impl, rng):
    """Integer dtypes of whole bytes, and bool, have torch's size"""
    widths = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool"]
    sizes_are_torchs(impl, rng, [getattr(torch, name) for name in widths])


@pytest.mark.exercise("bytes_per_element")
def test_complex(impl):
    """A complex number takes the bytes of its real and imaginary parts"""
    for dtype in (d for d in DTYPES if d.is_complex):
        part = torch.empty(0, dtype=dtype.to_real())
        expect(impl.dtypes.bytes_per_element(dtype), f"bytes of {dtype}").equals(
            2 * part.element_size()
        )


@pytest.mark.exercise("bytes_per_element")
def test_quantized_and_bits(impl):
    """Quantized and bits dtypes of whole bytes have the size of the type that stores them"""
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
    """Anything that is not a torch.dtype is refused with a TypeError"""
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
    """A scalar, of shape (), has one element"""
    for dtype in COMMON:
        expect(impl.dtypes.tensor_bytes((), dtype), f"bytes of () in {dtype}").equals(
            torch.zeros((), dtype=dtype).nbytes
        )


@pytest.mark.exercise("tensor_bytes")
def test_a_dimension_of_size_0_leaves_nothing(impl, rng):
    """A tensor with a dimension of size 0, at any position, takes no bytes"""
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


# --- storage_bytes ----------------------------------------------------------


def fresh(rng, *others):
    """A step that makes a new matrix with at least two rows and columns.

    Its size in bytes differs from those of `others`.
    """
    while True:
        shape = tuple(int(n) for n in rng.integers(2, 9, size=2))
        step = "new", shape, COMMON[int(rng.integers(len(COMMON)))]
        if size_of(step) not in map(size_of, others):
            return step


def size_of(step):
    return math.prod(step[1]) * torch.empty(0, dtype=step[2]).element_size()


def storage_bytes(impl, steps, chosen, **how):
    chosen = [int(n) for n in chosen]
    return expect(
        impl.scenarios.storage_bytes_of(steps, chosen, **how), f"bytes of {chosen} of {steps}"
    )


class Recipe:
    """Random steps, with a record of the storage of each tensor and its size."""

    def __init__(self, rng):
        self.rng, self.steps, self.tensors, self.storage, self.size = rng, [], [], [], []

    def add(self, step, shares):
        """`shares` is the index of the tensor whose storage this one shares, None if it is new."""
        self.steps.append(step)
        # Built again, as the scenario does, to get shapes and layouts.
        self.tensors = build(self.steps)
        new = self.tensors[-1]
        if shares is None:
            self.storage.append(len(self.size))
            self.size.append(new.numel() * new.element_size())
        else:
            self.storage.append(self.storage[shares])

    def step(self):
        rng = self.rng
        if not self.steps or rng.random() < 0.15:
            return self.add(fresh(rng), None)
        n = int(rng.integers(len(self.steps)))
        t = self.tensors[n]
        views = [("detach", n), ("parameter", n), ("expand", n, 3, *t.shape)]
        copies = [("clone", n)]
        if t.ndim:
            d = int(rng.integers(t.ndim))
            start = int(rng.integers(t.shape[d]))
            length = int(rng.integers(0, t.shape[d] - start + 1)) or 1
            views += [("transpose", n, 0, d), ("narrow", n, d, start, length)]
            views += [("select", n, d, start)]
        if t.ndim and t.is_contiguous():
            views += [("contiguous", n), ("view", n, -1)]
            views += [("view", n, torch.int8)] if t.stride(-1) == 1 else []
        elif t.ndim:
            copies += [("contiguous", n)]
        kind, shares = (views, n) if rng.random() < 0.75 else (copies, None)
        return self.add(kind[int(rng.integers(len(kind)))], shares)

    def bytes_of(self, chosen):
        return sum(self.size[i] for i in {self.storage[n] for n in chosen})


@pytest.mark.exercise("storage_bytes")
def test_fresh_tensors_add_up(impl, rng):
    """Tensors that share no storage take the sum of their bytes"""
    for _ in range(8):
        steps = [fresh(rng) for _ in range(int(rng.integers(1, 6)))]
        steps += [steps[0]] * 2  # same size, but separate storages
        storage_bytes(impl, steps, range(len(steps))).equals(sum(map(size_of, steps)))


@pytest.mark.exercise("storage_bytes")
def test_a_tensor_listed_twice_counts_once(impl, rng):
    """A tensor that is listed several times counts once"""
    for _ in range(8):
        first = fresh(rng)
        steps = [first, fresh(rng, first)]
        chosen = [*[0] * int(rng.integers(2, 5)), 1, 0, 1]
        storage_bytes(impl, steps, chosen).equals(size_of(steps[0]) + size_of(steps[1]))


@pytest.mark.exercise("storage_bytes", weight=2)
def test_any_views_of_any_tensors(impl, rng):
    """Each storage of a random family of tensors, views and copies counts once, in full"""
    for _ in range(8):
        recipe = Recipe(rng)
        for _ in range(int(rng.integers(4, 13))):
            recipe.step()
        for _ in range(4):
            chosen = rng.integers(len(recipe.steps), size=int(rng.integers(1, 7)))
            storage_bytes(impl, recipe.steps, chosen).equals(recipe.bytes_of(chosen))


@pytest.mark.exercise("storage_bytes")
def test_a_view_alone_holds_everything(impl, rng):
    """A view of any part of a storage holds the whole storage"""
    for _ in range(5):
        base = fresh(rng)
        rows, columns = base[1]
        for view in [
            ("select", 0, 0, int(rng.integers(rows))),
            ("select", 0, 1, int(rng.integers(columns))),
            ("narrow", 0, 0, 1, rows - 1),
            ("narrow", 0, 1, 0, 1),
            ("expand", 0, 7, rows, columns),
        ]:
            storage_bytes(impl, [base, view], [1]).equals(size_of(base))
            storage_bytes(impl, [base, view, ("select", 1, 0, 0)], [2]).equals(size_of(base))


@pytest.mark.exercise("storage_bytes")
def test_views_of_one_storage_count_once(impl, rng):
    """Rows, columns, slices, transposes and views of one tensor together count once"""
    for _ in range(6):
        base = fresh(rng)
        other = fresh(rng, base)
        rows, columns = base[1]
        steps = [
            base,
            ("narrow", 0, 0, 0, 1),
            ("narrow", 0, 0, 1, rows - 1),
            ("select", 0, 1, int(rng.integers(columns))),
            ("transpose", 0, 0, 1),
            ("view", 0, rows * columns),
            ("expand", 0, 2, rows, columns),
            other,
        ]
        order = [int(n) for n in rng.permutation(7)]
        for chosen in (order, order[:4], [1, 2]):
            storage_bytes(impl, steps, chosen).equals(size_of(base))
        storage_bytes(impl, steps, [*order, 7]).equals(size_of(base) + size_of(other))


@pytest.mark.exercise("storage_bytes")
def test_what_copies_costs_anew(impl, rng):
    """A copy has its own storage; contiguous() only copies tensors that are not contiguous"""
    for _ in range(6):
        base = fresh(rng)
        size = size_of(base)
        steps = [base, ("transpose", 0, 0, 1), ("contiguous", 1), ("clone", 0), ("contiguous", 0)]
        steps += [("view", 2, -1), ("select", 0, 1, 0), ("clone", 6)]
        storage_bytes(impl, steps, [0, 1, 2]).equals(2 * size)
        storage_bytes(impl, steps, [1, 2, 5]).equals(2 * size)
        storage_bytes(impl, steps, [0, 4]).equals(size)
        storage_bytes(impl, steps, [3, 0, 4, 2]).equals(3 * size)
        storage_bytes(impl, steps, [7]).equals(size // base[1][1])
        storage_bytes(impl, steps, [6, 7]).equals(size + size // base[1][1])


@pytest.mark.exercise("storage_bytes")
def test_another_dtype_and_another_class(impl, rng):
    """A view as another dtype, a detached tensor and a Parameter share the storage"""
    for _ in range(8):
        base = "new", tuple(int(n) for n in rng.integers(2, 9, size=2)), torch.float32
        steps = [base, ("view", 0, torch.int16), ("view", 0, torch.uint8), ("detach", 0)]
        steps += [("parameter", 0), ("select", 4, 0, 1), ("to", 0, torch.float64)]
        size = size_of(base)
        for chosen in ([0, 1, 2, 3, 4, 5], [2], [1, 4], [3, 5], [4, 0, 5]):
            storage_bytes(impl, steps, chosen).equals(size)
        storage_bytes(impl, steps, [4, 6, 1]).equals(3 * size)


@pytest.mark.exercise("storage_bytes")
def test_tensors_without_elements(impl, rng):
    """A new tensor without elements holds nothing; an empty view holds its whole storage"""
    for _ in range(6):
        base = fresh(rng)
        other = fresh(rng, base)
        empty = "new", (0, 3), torch.float32
        steps = [base, empty, ("new", (2, 0), torch.int64), ("narrow", 0, 0, 1, 0), other]
        steps += [("narrow", 4, 1, 0, 0)]
        storage_bytes(impl, steps, [1, 0, 2]).equals(size_of(base))
        storage_bytes(impl, steps, [3]).equals(size_of(base))
        storage_bytes(impl, steps, [1, 3, 2, 5]).equals(size_of(base) + size_of(other))
        storage_bytes(impl, steps, [1, 2]).equals(0)
        storage_bytes(impl, steps, []).equals(0)


@pytest.mark.exercise("storage_bytes")
def test_meta_tensors_hold_nothing(impl, rng):
    """Tensors on the meta device hold no memory; other tensors in the set still count"""
    for _ in range(6):
        real = fresh(rng)
        other = fresh(rng, real)
        steps = [(*fresh(rng), "meta"), real, (*fresh(rng), "meta"), ("select", 2, 0, 0), other]
        storage_bytes(impl, steps, [0, 1, 2, 4, 3]).equals(size_of(real) + size_of(other))
        storage_bytes(impl, steps, [0, 2, 3]).equals(0)


@pytest.mark.exercise("storage_bytes")
def test_tensors_from_a_generator(impl, rng):
    """The tensors may come from a generator, which can only be read once"""
    for _ in range(6):
        base = fresh(rng)
        other = fresh(rng, base)
        steps = [base, ("transpose", 0, 0, 1), other, ("select", 2, 0, 1)]
        storage_bytes(impl, steps, [1, 0, 3], generator=True).equals(size_of(base) + size_of(other))


# --- block_scaled -----------------------------------------------------------


def count_blocks(shape, block_size):
    """Counts elements and blocks element by element: a block begins at each multiple of its
    size."""
    places = list(itertools.product(*(range(size) for size in shape)))
    return len(places), sum(1 for place in places if not place or place[-1] % block_size == 0)


def whole_bytes(bits):
    return len(range(0, bits, 8))


def check_bytes(impl, shape, element_bits, block_size, scale_bits, *tensor_scale_bits):
    elements, blocks = count_blocks(shape, block_size)
    parts = [elements * element_bits, blocks * scale_bits, *tensor_scale_bits]
    given = (shape, element_bits, block_size, scale_bits, *tensor_scale_bits)
    expect(impl.dtypes.block_scaled_bytes(*given), f"block_scaled_bytes{given}").equals(
        sum(map(whole_bytes, parts))
    )


def random_block(rng):
    """Element bits, block size and scale bits: powers of two, or any numbers."""
    if rng.random() < 0.5:
        return int(rng.choice([4, 8])), int(rng.choice([8, 16, 32])), int(rng.choice([8, 16]))
    return tuple(int(n) for n in rng.integers(1, 20, size=3))


def full_blocks(rng):
    """A shape with full blocks of 16 elements and whole bytes, which needs no special rule."""
    return tuple(16 * int(n) for n in rng.integers(1, 5, size=2))


@pytest.mark.exercise("block_scaled")
def test_average_bits(impl, rng):
    """An element takes its own bits plus its share of a scale"""
    for _ in range(40):
        element_bits, block_size, scale_bits = random_block(rng)
        given = element_bits, block_size, scale_bits
        found = expect(impl.dtypes.bits_per_element(*given), f"bits_per_element{given}")
        found.is_a(float)
        # Two roundings of float64 at most.
        found.close(float(element_bits + Fraction(scale_bits, block_size)), rtol=1e-15)
    for element_bits in (1, 4, 7):
        expect(impl.dtypes.bits_per_element(element_bits, 1, 0)).equals(float(element_bits))


@pytest.mark.exercise("block_scaled")
def test_average_bits_are_those_of_full_blocks(impl, rng):
    """A tensor with only full blocks takes its elements times the average bits"""
    for _ in range(20):
        element_bits, _, scale_bits = random_block(rng)
        block_size = 2 ** int(rng.integers(6))  # so that a float holds the average exactly
        rows, blocks = 8 * int(rng.integers(1, 9)), int(rng.integers(1, 9))
        shape = (rows, blocks * block_size)
        found = impl.dtypes.block_scaled_bytes(shape, element_bits, block_size, scale_bits)
        bits = element_bits + Fraction(scale_bits, block_size)
        expect(found, f"bytes of {shape}").equals(int(math.prod(shape) * bits / 8))
        average = impl.dtypes.bits_per_element(element_bits, block_size, scale_bits)
        expect(average, "bits_per_element").close(found * 8 / math.prod(shape), rtol=1e-12)


@pytest.mark.exercise("block_scaled", weight=2)
def test_bytes_of_random_blocks(impl, rng):
    """Random shapes in random formats take the bytes of their elements and of their blocks"""
    for _ in range(40):
        shape = tuple(int(n) for n in rng.choice([1, 2, 3, 7, 8], size=int(rng.integers(0, 3))))
        shape = (*shape, int(rng.choice([1, 2, 15, 16, 17, 31, 33, 40])))
        check_bytes(impl, shape, *random_block(rng))


@pytest.mark.exercise("block_scaled")
def test_a_block_ends_with_its_row(impl, rng):
    """The last block of a row has a whole scale, and does not continue into the next row"""
    for _ in range(20):
        block_size = int(rng.integers(2, 17))
        row = block_size * int(rng.integers(0, 4)) + int(rng.integers(1, block_size))
        rows = tuple(int(n) for n in rng.integers(2, 6, size=int(rng.integers(1, 4))))
        found = impl.dtypes.block_scaled_bytes((*rows, row), 8, block_size, 8)
        scales = math.prod(rows) * len(range(0, row, block_size))
        expect(found, f"bytes of {(*rows, row)}").equals(math.prod(rows) * row + scales)


@pytest.mark.exercise("block_scaled")
def test_each_part_is_rounded_up_once(impl, rng):
    """Elements, block scales and the tensor scale are each rounded up to whole bytes once"""
    for _ in range(30):
        shape = tuple(int(n) for n in rng.integers(1, 8, size=int(rng.integers(1, 4))))
        bits = [int(n) for n in rng.choice([1, 3, 5, 7, 9, 11, 13], size=3)]
        check_bytes(impl, shape, bits[0], int(rng.integers(1, 6)), bits[1], bits[2])


@pytest.mark.exercise("block_scaled")
def test_the_scale_of_the_tensor(impl, rng):
    """The tensor scale counts once, even without elements"""
    for _ in range(10):
        shape, block = tuple(int(n) for n in rng.integers(2, 40, size=2)), random_block(rng)
        for bits in (0, 1, 8, 9, 16, 32):
            check_bytes(impl, shape, *block, bits)
        check_bytes(impl, (shape[0], 0), *block, 16)
    check_bytes(impl, (3, 3), 1, 1, 1, 1)  # each part is rounded to bytes for itself


@pytest.mark.exercise("block_scaled")
def test_a_scalar_is_one_block(impl, rng):
    """A scalar has one element in one block"""
    for block in [(1, 1, 1), *(random_block(rng) for _ in range(10))]:
        element_bits, block_size, scale_bits = block
        expect(impl.dtypes.block_scaled_bytes((), element_bits, block_size, scale_bits)).equals(
            whole_bytes(element_bits) + whole_bytes(scale_bits)
        )


@pytest.mark.exercise("block_scaled")
def test_no_elements_no_blocks(impl, rng):
    """If any dimension has size 0, there are no elements and no block scales"""
    for _ in range(10):
        shape, block = [8 * int(n) for n in rng.integers(1, 6, size=2)], random_block(rng)
        check_bytes(impl, tuple(shape), *block)
        shape.insert(int(rng.integers(3)), 0)
        expect(impl.dtypes.block_scaled_bytes(tuple(shape), *block)).equals(0)
    check_bytes(impl, (8, 1), 1, 1, 1)  # rows share bytes


@pytest.mark.exercise("block_scaled")
def test_huge_block_scaled_tensors_are_exact(impl, rng):
    """Byte counts beyond 64 bits are exact integers"""
    for _ in range(10):
        rows, blocks = (int(n) | 1 for n in rng.integers(2**40, 2**41, size=2))
        found = impl.dtypes.block_scaled_bytes((rows, 16 * blocks - 1), 8, 16, 8)
        expect(found).equals(rows * (17 * blocks - 1))


@pytest.mark.exercise("block_scaled")
def test_refuses_shapes_with_negative_sizes(impl, rng):
    """A shape with a negative size is refused, even if its product is not negative"""
    for shape in [(-1,), (2, -3), (-2, -3), (0, -1), (-1, 0), (-16,)]:
        with pytest.raises(ValueError):
            impl.dtypes.block_scaled_bytes(shape, 4, 16, 8)
    check_bytes(impl, full_blocks(rng), 4, 16, 8)


@pytest.mark.exercise("block_scaled")
def test_refuses_formats_that_are_none(impl, rng):
    """Elements of 0 bits, blocks of 0 elements and negative scales are refused"""
    shape = full_blocks(rng)
    for block in [(0, 16, 8), (-4, 16, 8), (4, 0, 8), (4, -16, 8), (4, 16, -8), (4, 16, -1)]:
        with pytest.raises(ValueError):
            impl.dtypes.bits_per_element(*block)
        with pytest.raises(ValueError):
            impl.dtypes.block_scaled_bytes(shape, *block)
    for bits in (-1, -32):
        with pytest.raises(ValueError):
            impl.dtypes.block_scaled_bytes(shape, 4, 16, 8, bits)
    for block in [(1, 1, 0), (1, 1, 1), (4, 16, 8)]:
        check_bytes(impl, shape, *block, 0)
        expect(impl.dtypes.bits_per_element(*block)).equals(block[0] + block[2] / block[1])
