"""Bytes, compared with torch for all its dtypes, and counted block by block."""

import itertools
import math
from fractions import Fraction

import pytest
import torch

from assignment.scenarios.dtypes import take_step

DTYPES = sorted({d for d in vars(torch).values() if isinstance(d, torch.dtype)}, key=str)
INTEGERS = [getattr(torch, f"{sign}int{bits}") for sign in ("", "u") for bits in (8, 16, 32, 64)]
# Exercises that build on bytes_per_element use only these, so that each rule is tested once.
COMMON = [torch.float64, torch.float32, torch.bfloat16, torch.int64, torch.uint8]


def sizes_are_torchs(later, rng, dtypes):
    for i in rng.permutation(len(dtypes)):
        dtype = dtypes[i]
        later.dtypes.bytes_per_element(dtype).equals(torch.empty(0, dtype=dtype).element_size())


@pytest.mark.exercise("bytes_per_element")
def test_floating_point(later, rng):
    """Floating-point dtypes, including the 8-bit formats, have torch's size, an int"""
    sizes_are_torchs(later, rng, [d for d in DTYPES if d.is_floating_point])


@pytest.mark.exercise("bytes_per_element")
def test_integers_and_bool(later, rng):
    """Integer dtypes of whole bytes, and bool, have torch's size"""
    sizes_are_torchs(later, rng, [*INTEGERS, torch.bool])


@pytest.mark.exercise("bytes_per_element")
def test_complex(later):
    """A complex number takes the bytes of its real and imaginary parts"""
    for dtype in (d for d in DTYPES if d.is_complex):  # torch warns at a tensor of complex32
        later.dtypes.bytes_per_element(dtype).equals(2 * dtype.to_real().itemsize)


@pytest.mark.exercise("bytes_per_element")
def test_quantized_and_bits(later):
    """Quantized and bits dtypes of whole bytes have the size of the type that stores them"""
    of_a_byte = ("qint8", "quint8", "bits8", "bits1x8", "bits2x4", "bits4x2")
    for name, size in {**dict.fromkeys(of_a_byte, 1), "qint32": 4, "bits16": 2}.items():
        later.dtypes.bytes_per_element(getattr(torch, name)).equals(size)


def check_tensor(later, shape, dtype):
    """Compares with torch."""
    held = torch.empty(shape, dtype=dtype, device="meta").nbytes
    later.dtypes.tensor_bytes(shape, dtype).equals(held)


def check_tensors(later, rng):
    """Compares tensors of three and four dimensions with torch."""
    for dtype in COMMON:
        check_tensor(later, rng.integers(2, 99, size=int(rng.integers(3, 5))).tolist(), dtype)


@pytest.mark.exercise("tensor_bytes")
def test_bytes_of_random_shapes(later, rng):
    """A tensor takes as many bytes as torch says, in every shape and dtype"""
    for _ in range(60):
        shape = rng.choice([1, 2, 3, 7, 32, 1023], size=int(rng.integers(1, 5))).tolist()
        check_tensor(later, shape, COMMON[int(rng.integers(len(COMMON)))])


@pytest.mark.exercise("tensor_bytes")
def test_a_scalar_is_one_element(later, rng):
    """A scalar, of shape (), has one element"""
    for dtype, shape in itertools.product(COMMON, ((), [])):
        check_tensor(later, shape, dtype)
    check_tensors(later, rng)


@pytest.mark.exercise("tensor_bytes")
def test_a_dimension_of_size_0_leaves_nothing(later, rng):
    """A tensor with a dimension of size 0, at any position, takes no bytes"""
    for _ in range(10):
        shape = rng.integers(1, 1024, size=int(rng.integers(1, 5))).tolist()
        shape[int(rng.integers(len(shape)))] = 0
        later.dtypes.tensor_bytes(shape, torch.float32).equals(0)
    check_tensors(later, rng)


@pytest.mark.exercise("tensor_bytes")
def test_huge_tensors_are_exact(later, rng):
    """Byte counts beyond 64 bits are exact integers"""
    for _ in range(10):
        shape = [int(n) for n in rng.integers(2**40, 2**41, size=3) | 1]
        later.dtypes.tensor_bytes(shape, torch.bfloat16).equals(2 * math.prod(shape))


# --- storage_bytes ----------------------------------------------------------

# Programs mostly use COMMON; dtypes of other kinds and sizes are stored alike.
OTHERS = [
    *(torch.complex128, torch.complex64, torch.float8_e4m3fn, torch.float16),
    *(torch.bool, torch.int8, torch.int16, torch.int32),
]
# Larger tensors get no copies that are larger still.
LARGE = 300


class Program:
    """Random steps, and the tensors that they make here.

    Whether a step copies depends on strides, and so on all steps before it; a step in place changes
    the storage of tensors that it does not name. The steps alone do not show who shares what.
    """

    def __init__(self, rng, steps=0):
        self.rng, self.steps, self.tensors = rng, [], []
        for _ in range(2 if steps else 0):
            self.new()
        for _ in range(steps):
            self.random_step()

    def add(self, *step):
        """Takes a step; returns the number of its last tensor."""
        self.steps.append(step)
        take_step(step, self.tensors)
        return len(self.tensors) - 1

    def new(self, *device):
        """A new matrix with at least two rows and columns."""
        shape = tuple(int(n) for n in self.rng.integers(2, 9, size=2))
        return self.add("new", shape, self.dtype(), *device)

    def dtype(self):
        return COMMON[int(self.rng.integers(len(COMMON)))]

    def random_step(self):
        rng, n = self.rng, self.any_of(range(len(self.tensors)))
        t = self.tensors[n]
        steps = [("view_of", n)] * 5 + [("may_copy", n)] * 4
        steps += [("in_place", n)] * 4 + [("new",), ("deepcopy", n)]
        kind, *_ = steps[int(rng.integers(len(steps)))]
        if kind == "new":
            return self.new()
        if kind == "deepcopy":
            others = rng.integers(len(self.tensors), size=int(rng.integers(0, 3)))
            return self.add("deepcopy", n, *(int(m) for m in others))
        if kind == "view_of" or t.numel() > LARGE:
            return self.view_of(n)
        return getattr(self, kind)(n)

    def view_of(self, n):
        """A tensor that shares the storage of tensor n."""
        rng, t = self.rng, self.tensors[n]
        steps = [("detach", n), ("parameter", n)]
        if t.numel() <= LARGE:
            steps.append(("expand", n, int(rng.integers(2, 4)), *t.shape))
        if t.ndim and t.numel():
            d = int(rng.integers(t.ndim))
            start = int(rng.integers(t.shape[d]))
            length = int(rng.integers(1, t.shape[d] - start + 1))
            steps += [("transpose", n, 0, -1), ("narrow", n, d, start, length)] * 2
            steps += [("select", n, d, start), ("unfold", n, d, 1, 2)]
            steps += [("unbind", n, d)] if t.shape[d] <= 4 else []
            steps += [("diagonal", n)] if t.ndim > 1 else []
            steps += [("view", n, torch.uint8)] if t.stride(-1) == 1 else []
        return self.add(*steps[int(rng.integers(len(steps)))])

    def may_copy(self, n):
        """A tensor that shares the storage of tensor n, or is a copy of what n shows."""
        rng, t = self.rng, self.tensors[n]
        steps = [("reshape", n, -1), ("flatten", n), ("contiguous", n), ("ravel", n)]
        steps += [("to", n, t.dtype), ("to", n, self.dtype()), ("clone", n)]
        return self.add(*steps[int(rng.integers(len(steps)))])

    def in_place(self, n):
        """Gives tensor n another storage, or another shape, for which its storage may grow.

        A storage grows to what the tensor needs from where it begins: so one grows that does not
        begin with its storage.
        """
        rng, t = self.rng, self.tensors[n]
        if rng.random() < 0.2:
            return self.add("set", n, self.any_of(self.like(n)))
        if t.ndim and t.numel() and not t.storage_offset():
            d = int(rng.integers(t.ndim))
            n = self.add("select", n, d, t.shape[d] - 1)
        return self.add("resize_", n, *(int(size) for size in rng.integers(1, 9, size=2)))

    def like(self, n):
        """Tensors whose data tensor n may take."""
        t = self.tensors[n]
        return [m for m, o in enumerate(self.tensors) if (o.dtype, o.device) == (t.dtype, t.device)]

    def any_of(self, numbers):
        numbers = list(numbers)
        return numbers[int(self.rng.integers(len(numbers)))]

    def some_of(self, numbers, least=1):
        """At least so many of these numbers, in random order."""
        count = int(self.rng.integers(least, len(numbers) + 1))
        return [int(n) for n in self.rng.permutation(numbers)[:count]]

    def unlike(self, numbers):
        """Those of these numbers whose storage is of another size than the others' storages."""
        storages = {n: self.tensors[n].untyped_storage() for n in numbers}
        first = {}  # of each size
        return [
            n for n, s in storages.items() if first.setdefault(s.nbytes(), s._cdata) == s._cdata
        ]

    def families(self):
        """Numbers of tensors by the storage that they share; those on the meta device are none."""
        families = {}
        for n, t in enumerate(self.tensors):
            if not t.is_meta:
                families.setdefault(t.untyped_storage()._cdata, []).append(n)
        return list(families.values())

    def fills(self, n):
        """Whether a tensor shows its whole storage once, so that it has a view as any dtype."""
        t = self.tensors[n]
        dense = bool(t.numel() and t.ndim and t.is_contiguous() and t.stride(-1) == 1)
        return dense and t.nbytes == t.untyped_storage().nbytes()

    def whole(self):
        """One tensor of each storage, of those that fill it; no two are of one size.

        There is at least one, a new one if need be.
        """
        filling = [list(filter(self.fills, family)) for family in self.families()]
        chosen = {self.tensors[f[0]].nbytes: self.any_of(f) for f in filling if f}
        return self.rng.permutation(list(chosen.values())).tolist() or [self.new()]

    def grown(self):
        """A tensor whose storage has grown from where it begins: no tensor shows all of it."""
        whole = self.add("new", (int(self.rng.integers(3, 9)),), self.dtype())
        part = self.add("narrow", whole, 0, 1, 2)
        return self.add("resize_", part, int(self.rng.integers(10, 20)))

    def parts(self, chosen):
        """Two views of the first row of each of these tensors, of one more of equal size, and of
        one whose storage has grown."""
        chosen = [*chosen, self.add("clone", chosen[0]), self.grown()]
        rows = [self.add("select", self.add("detach", n), 0, 0) for n in chosen]
        return rows + [self.add("narrow", n, 0, 0, 1) for n in chosen]

    def check(self, later, chosen, **how):
        """Compares with the storages that these tensors have here."""
        held = [self.tensors[n].untyped_storage() for n in chosen if not self.tensors[n].is_meta]
        sizes = {storage._cdata: storage.nbytes() for storage in held}
        later.scenarios.storage_bytes_of(self.steps, chosen, **how).equals(sum(sizes.values()))


@pytest.mark.exercise("storage_bytes")
def test_fresh_tensors_add_up(later, rng):
    """Tensors that share no storage take the sum of their storages"""
    for dtype in OTHERS:
        program = Program(rng, int(rng.integers(4, 15)))
        chosen = program.whole()
        chosen.append(program.add("new", (3, int(rng.integers(2, 9))), dtype))
        # Of the same size as another, but separate.
        chosen += [program.grown(), *(program.add("clone", chosen[0]) for _ in range(2))]
        program.check(later, chosen)
        program.check(later, [program.add("select", n, 0, 0) for n in chosen])
    large = program.add("new", (2**24 + 1 + 2 * int(rng.integers(99)),), torch.uint8)
    program.check(later, [program.new(), large])


@pytest.mark.exercise("storage_bytes")
def test_a_tensor_listed_twice_counts_once(later, rng):
    """A tensor that is listed several times counts once"""
    for _ in range(8):
        program = Program(rng, int(rng.integers(4, 15)))
        chosen = program.parts(program.whole())
        program.check(later, [*chosen, *program.some_of(chosen), chosen[0]])


@pytest.mark.exercise("storage_bytes", weight=2)
def test_any_views_of_any_tensors(later, rng):
    """Each storage of a random family of tensors, views and copies counts once, in full"""
    for _ in range(8):
        program = Program(rng, int(rng.integers(8, 20)))
        for _ in range(4):
            chosen = rng.integers(len(program.tensors), size=int(rng.integers(1, 7)))
            program.check(later, chosen.tolist())
        families = sorted(program.families(), key=len)
        program.check(later, [*families[-1], families[0][0]])


@pytest.mark.exercise("storage_bytes")
def test_a_view_alone_holds_everything(later, rng):
    """A view of any part of a storage holds the whole storage"""
    for _ in range(6):
        program = Program(rng, int(rng.integers(8, 20)))
        for n in program.some_of(range(len(program.tensors)))[:3]:
            rows = program.add("expand", n, 2, *program.tensors[n].shape)
            for view in (n, program.add("select", rows, 0, 1), program.view_of(n)):
                program.check(later, [view])


@pytest.mark.exercise("storage_bytes")
def test_what_copies_costs_anew(later, rng):
    """A copy has its own storage; contiguous() only copies tensors that are not contiguous"""
    for _ in range(6):
        program = Program(rng, int(rng.integers(8, 20)))
        for _ in range(5):
            n = program.any_of(range(len(program.tensors)))
            made = [program.may_copy(n), program.add("contiguous", n)]
            made.append(program.add("contiguous", program.add("transpose", made[1], 0, -1)))
            program.check(later, [n, *program.some_of(made)])
            program.check(later, program.some_of([n, *made, program.add("clone", made[0])], 2))


@pytest.mark.exercise("storage_bytes")
def test_another_dtype_and_another_class(later, rng):
    """A view as another dtype, a detached tensor and a Parameter share the storage, which counts
    to its last byte"""
    for _ in range(8):
        program = Program(rng, int(rng.integers(8, 20)))
        whole = program.any_of(program.whole())
        views = [program.any_of(range(len(program.tensors))), whole]
        views.append(program.add("view", whole, torch.uint8))
        views.append(program.add("view", views[-1], torch.int8))
        views += [program.add(step, n) for step in ("detach", "parameter") for n in views[:2]]
        views.append(program.add("to", views[0], program.dtype()))
        for _ in range(5):
            program.check(later, program.unlike(program.some_of(views)))
        # A storage of no whole number of the view's elements.
        size = 8 * int(rng.integers(1, 9))
        whole = program.add("new", (size + int(rng.integers(1, 8)),), torch.uint8)
        part = program.add("narrow", whole, 0, 0, size)
        wide = program.add("view", part, torch.int64)
        program.check(later, [wide])
        program.check(later, program.some_of([wide, part, whole], least=2))


@pytest.mark.exercise("storage_bytes")
def test_tensors_without_elements(later, rng):
    """A new tensor without elements holds nothing; an empty view holds its whole storage"""
    for _ in range(6):
        program = Program(rng, int(rng.integers(8, 20)))
        new = [program.add("new", shape, program.dtype()) for shape in ((0, 3), (2, 0))]
        bases = [n for n in range(len(program.tensors)) if program.tensors[n].ndim]
        empty = [program.add("narrow", program.any_of(bases), 0, 0, 0) for _ in range(4)]
        for _ in range(2):
            program.check(later, program.some_of([*new, *empty, *program.whole()]))
            program.check(later, [program.any_of(empty)])
        program.check(later, new)
        program.check(later, [])


@pytest.mark.exercise("storage_bytes")
def test_meta_tensors_hold_nothing(later, rng):
    """Tensors on the meta device hold no memory; other tensors in the set still count"""
    for _ in range(6):
        program = Program(rng, int(rng.integers(4, 15)))
        real = program.whole()
        meta = [program.new("meta"), program.add("to", real[0], "meta")]
        meta.append(program.add("select", meta[0], 0, 0))
        program.check(later, [*program.parts(real), *program.some_of(meta)])
        program.check(later, program.some_of(meta))


@pytest.mark.exercise("storage_bytes")
def test_tensors_that_a_generator_makes(later, rng):
    """Tensors that a generator makes one by one all count, also if it keeps none of them"""
    for _ in range(6):
        program = Program(rng, int(rng.integers(4, 15)))
        chosen = rng.integers(len(program.tensors), size=int(rng.integers(1, 5))).tolist()
        whole = program.any_of(program.whole())
        chosen += [whole] * 40
        sizes = [t.nbytes for t in (program.tensors[n] for n in chosen) if not t.is_meta]
        later.scenarios.storage_bytes_of(program.steps, chosen, copies=True).equals(sum(sizes))
        program.check(later, program.parts([whole]), generator=True)  # no copies


# --- block_scaled -----------------------------------------------------------


def count_blocks(shape, block_size):
    """Counts elements and blocks element by element: a block begins at each multiple of its
    size."""
    places = list(itertools.product(*(range(size) for size in shape)))
    return len(places), sum(1 for place in places if not place or place[-1] % block_size == 0)


def whole_bytes(bits):
    return len(range(0, bits, 8))


def check_bytes(later, shape, element_bits, block_size, scale_bits, *tensor_scale_bits):
    elements, blocks = count_blocks(shape, block_size)
    parts = [elements * element_bits, blocks * scale_bits, *tensor_scale_bits]
    given = (shape, element_bits, block_size, scale_bits, *tensor_scale_bits)
    later.dtypes.block_scaled_bytes(*given).equals(sum(map(whole_bytes, parts)))


def random_block(rng):
    """Element bits, block size and scale bits: powers of two, or any numbers."""
    if rng.random() < 0.5:
        return int(rng.choice([4, 8])), int(rng.choice([8, 16, 32])), int(rng.choice([8, 16]))
    return tuple(int(n) for n in rng.integers(1, 20, size=3))


@pytest.mark.exercise("block_scaled")
def test_average_bits(later, rng):
    """An element takes its own bits plus its share of a scale"""
    for _ in range(40):
        element_bits, block_size, scale_bits = random_block(rng)
        # Two roundings of float64 at most.
        later.dtypes.bits_per_element(element_bits, block_size, scale_bits).close(
            float(element_bits + Fraction(scale_bits, block_size)), rtol=1e-15
        )
    for element_bits in (1, 4, 7):
        later.dtypes.bits_per_element(element_bits, 1, 0).equals(float(element_bits))


@pytest.mark.exercise("block_scaled", weight=2)
def test_bytes_of_random_blocks(later, rng):
    """Random shapes in random formats take the bytes of their elements and of their blocks"""
    for _ in range(40):
        shape = tuple(int(n) for n in rng.choice([1, 2, 3, 7, 8], size=int(rng.integers(0, 3))))
        shape = (*shape, int(rng.choice([1, 2, 15, 16, 17, 31, 33, 40])))
        check_bytes(later, shape, *random_block(rng))
    for element_bits, block_size, _ in [(1, 1, 0), random_block(rng)]:
        check_bytes(later, (3, int(rng.integers(2, 40))), element_bits, block_size, 0)


@pytest.mark.exercise("block_scaled")
def test_a_block_ends_with_its_row(later, rng):
    """The last block of a row has a whole scale, and does not continue into the next row"""
    for _ in range(20):
        block_size = int(rng.integers(2, 17))
        row = block_size * int(rng.integers(0, 4)) + int(rng.integers(1, block_size))
        rows = tuple(int(n) for n in rng.integers(2, 6, size=int(rng.integers(1, 4))))
        check_bytes(later, [*rows, row], 8, block_size, 8)


@pytest.mark.exercise("block_scaled")
def test_each_part_is_rounded_up_once(later, rng):
    """Elements, block scales and the tensor scale are each rounded up to whole bytes once"""
    for _ in range(30):
        shape = tuple(int(n) for n in rng.integers(1, 8, size=int(rng.integers(1, 4))))
        bits = [int(n) for n in rng.choice([1, 3, 5, 7, 9, 11, 13], size=3)]
        check_bytes(later, shape, bits[0], int(rng.integers(1, 6)), bits[1], bits[2])


@pytest.mark.exercise("block_scaled")
def test_the_scale_of_the_tensor(later, rng):
    """The tensor scale counts once, even without elements"""
    for _ in range(10):
        shape, block = tuple(int(n) for n in rng.integers(2, 40, size=2)), random_block(rng)
        for bits in (0, 1, 8, 9, 16, 32):
            check_bytes(later, shape, *block, bits)
        check_bytes(later, (shape[0], 0), *block, 16)
        check_bytes(later, (), *block, 16)
    check_bytes(later, (3, 3), 1, 1, 1, 1)  # each part is rounded to bytes for itself


@pytest.mark.exercise("block_scaled")
def test_a_scalar_is_one_block(later, rng):
    """A scalar has one element in one block"""
    for block in [(1, 1, 1), *(random_block(rng) for _ in range(10))]:
        element_bits, _, scale_bits = block
        for shape in ((), []):
            later.dtypes.block_scaled_bytes(shape, *block).equals(
                whole_bytes(element_bits) + whole_bytes(scale_bits)
            )
    block_size = int(rng.integers(2, 17))
    check_bytes(later, (3, block_size + 1), 8, block_size, 8)


@pytest.mark.exercise("block_scaled")
def test_no_elements_no_blocks(later, rng):
    """If any dimension has size 0, there are no elements and no block scales"""
    for _ in range(10):
        shape, block = [8 * int(n) for n in rng.integers(1, 6, size=2)], random_block(rng)
        check_bytes(later, tuple(shape), *block)
        shape.insert(int(rng.integers(3)), 0)
        later.dtypes.block_scaled_bytes(tuple(shape), *block).equals(0)
    check_bytes(later, (8, 1), 1, 1, 1)  # rows share bytes


@pytest.mark.exercise("block_scaled")
def test_huge_block_scaled_tensors_are_exact(later, rng):
    """Byte counts beyond 64 bits are exact integers"""
    for _ in range(10):
        rows, blocks = (int(n) | 1 for n in rng.integers(2**40, 2**41, size=2))
        later.dtypes.block_scaled_bytes((rows, 16 * blocks - 1), 8, 16, 8).equals(
            rows * (17 * blocks - 1)
        )
        row = 16 * blocks * 2**20 + 1  # whose number of blocks no float64 holds
        later.dtypes.block_scaled_bytes((row,), 8, 16, 8).equals(row + blocks * 2**20 + 1)
