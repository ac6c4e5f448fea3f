"""Strides, compared with torch for random layouts."""

import itertools
import math

import numpy as np
import pytest
import torch

from assignment.expect import expect

STORAGE = torch.arange(100_000)


def random_layout(rng, smallest=1, dims=(0, 5)):
    """Shape, strides and offset of a tensor: fresh, permuted, strided, or broadcast."""
    ndim = int(rng.integers(dims[0], dims[1]))
    shape = rng.integers(smallest, 5, size=ndim).tolist()
    steps = rng.choice([1, 1, 1, 2], size=ndim).tolist()
    base = torch.as_strided(STORAGE, shape, packed(shape, steps), int(rng.integers(0, 9)))
    if ndim and rng.random() < 0.5:
        base = base.permute(rng.permutation(ndim).tolist())
    if ndim and rng.random() < 0.3:
        d = int(rng.integers(ndim))
        base = base.narrow(d, 0, min(1, base.shape[d])).expand(base.shape)
    return tuple(base.shape), tuple(base.stride()), base.storage_offset()


def packed(shape, steps=None):
    """Row-major strides with a gap after every dimension whose step is not 1."""
    strides, step = [], 1
    for size, gap in zip(reversed(shape), reversed(steps or [1] * len(shape)), strict=True):
        step *= gap
        strides.append(step)
        step *= max(size, 1)
    return strides[::-1]


def tensor_of(layout):
    return torch.as_strided(STORAGE, *layout)


def layout_of(tensor):
    return tuple(tensor.shape), tuple(tensor.stride()), tensor.storage_offset()


def random_dim(rng, ndim):
    return int(rng.integers(-ndim, ndim))


def from_the_first(rng, ndim):
    return int(rng.integers(ndim))


@pytest.mark.exercise("storage_index", weight=2)
def test_row_major_strides_are_torchs(later, rng):
    """The strides of random shapes are those of a fresh tensor in torch"""
    for i in range(60):
        shape = [int(n) for n in rng.choice([1, 2, 3, 7, 1023], size=i % 6)]
        fresh = torch.empty(shape, dtype=torch.uint8, device="meta")
        later.strides.row_major_strides(shape).equals(fresh.stride())


@pytest.mark.exercise("storage_index")
def test_a_size_of_0_counts_as_1(later, rng):
    """With sizes of 0 at any position, the strides are torch's"""
    for i in range(40):
        shape = [int(n) for n in rng.integers(2, 9, size=int(rng.integers(2, 6)))]
        for d in rng.integers(1, len(shape), size=2) if i % 4 else [0]:
            shape[d] = 0
        later.strides.row_major_strides(shape).equals(torch.empty(shape).stride())


@pytest.mark.exercise("storage_index")
def test_strides_of_huge_shapes(later, rng):
    """Strides beyond 64 bits are exact"""
    for _ in range(10):
        a, b, c = (int(n) | 1 for n in rng.integers(2**40, 2**50, size=3))
        later.strides.row_major_strides((7, a, b, c)).equals((a * b * c, b * c, c, 1))


def indexed(rng, ndim, offset=0):
    """An index, random strides, and the position of the element in torch."""
    shape, strides = rng.integers(1, 6, size=ndim).tolist(), rng.integers(0, 9, size=ndim).tolist()
    index = [int(rng.integers(0, n)) for n in shape]
    return index, strides, int(torch.as_strided(STORAGE, shape, strides, offset)[tuple(index)])


@pytest.mark.exercise("storage_index", weight=2)
def test_index_follows_the_strides(later, rng):
    """The flat index of an element is the sum of index × stride, plus the offset, also below 0"""
    for _ in range(50):
        offset = int(rng.integers(0, 7))
        index, strides, element = indexed(rng, int(rng.integers(0, 5)), offset)
        later.strides.storage_index(index, strides, offset).equals(element)
        backwards = [-stride for stride in strides]
        later.strides.storage_index(index, backwards, 1000 + offset).equals(
            1000 + 2 * offset - element, "the position with negative strides"
        )
        later.strides.storage_index(index, backwards, -1 - offset).equals(
            -1 - element, "the position with a negative offset"
        )


@pytest.mark.exercise("storage_index")
def test_index_without_an_offset(later, rng):
    """The default offset is 0"""
    for _ in range(30):
        index, strides, element = indexed(rng, int(rng.integers(1, 5)))
        later.strides.storage_index(index, strides).equals(element)


@pytest.mark.exercise("storage_index")
def test_index_into_huge_storage(later, rng):
    """The index of an element far beyond 32 bits is exact"""
    for _ in range(10):
        *index, offset = (int(n) | 1 for n in rng.integers(2**40, 2**50, size=4))
        later.strides.storage_index(index, (3, 2**40, 1), offset).equals(
            3 * index[0] + (index[1] << 40) + index[2] + offset
        )


def check_each_stride(later, rng, sizes=(2, 5), ndim=5):
    """Compares layouts in which one stride is off by 1, or two that make up for each other."""
    shape, one = [2, 2, *rng.integers(*sizes, size=ndim - 2).tolist()], np.eye(ndim, dtype=int)
    for off in [0 * one[0], *one, one[0] - one[1]]:
        strides = (packed(shape) + off).tolist()
        later.strides.is_contiguous(shape, strides).equals(not off.any())


@pytest.mark.exercise("storage_index")
def test_contiguity_is_torchs(later, rng):
    """Random layouts, including broadcast ones, are contiguous exactly if torch says so"""
    check_each_stride(later, rng)
    for layout in [((), (), 0), *(random_layout(rng, smallest=2) for _ in range(80))]:
        later.strides.is_contiguous(*layout[:2]).equals(tensor_of(layout).is_contiguous())


@pytest.mark.exercise("storage_index")
def test_the_stride_of_a_size_of_1_is_never_used(later, rng):
    """With dimensions of size 1, of any stride, contiguity is torch's"""
    for contiguous, _ in itertools.product([True, False], range(30)):
        shape = [int(n) for n in rng.choice([1, 1, 2, 3], size=int(rng.integers(1, 5)))]
        last = len(shape)
        shape += [4, 1][: int(rng.integers(1, 3))]
        strides = packed(shape)
        for d, size in enumerate(shape):
            if size == 1:
                strides[d] = int(rng.integers(0, 9))
        if not contiguous:
            strides[last] += 1
        tensor = torch.as_strided(STORAGE, shape, strides)
        later.strides.is_contiguous(shape, strides).equals(tensor.is_contiguous())
        later.strides.is_contiguous([1] * last, strides[:last]).equals(True)
    check_each_stride(later, rng)


@pytest.mark.exercise("storage_index")
def test_a_tensor_without_elements_is_contiguous(later, rng):
    """Without elements, any strides are contiguous"""
    for _ in range(30):
        shape = rng.integers(2, 5, size=int(rng.integers(2, 5))).tolist()
        strides = rng.integers(2, 9, size=len(shape)).tolist()
        later.strides.is_contiguous(shape, strides).equals(False)
        shape[int(rng.integers(len(shape)))] = 0
        later.strides.is_contiguous(shape, strides).equals(True)
    check_each_stride(later, rng)


@pytest.mark.exercise("storage_index")
def test_backwards_is_not_contiguous(later, rng):
    """A negative stride makes a layout not contiguous, unless it is never used"""
    for _ in range(10):
        rows, columns = (int(n) for n in rng.integers(2, 9, size=2))
        for signs in [(-1, -1), (-1, 1), (1, -1), (1, 1)]:
            strides = signs[0] * columns, signs[1]
            later.strides.is_contiguous((rows, columns), strides).equals(signs == (1, 1))
            strides = signs[0] * columns, signs[1], signs[0]
            later.strides.is_contiguous((1, 1, rows), strides).equals(signs[0] == 1)
            later.strides.is_contiguous((rows, 0, columns), strides).equals(True)
    check_each_stride(later, rng)


@pytest.mark.exercise("storage_index")
def test_a_stride_off_by_one_is_not_contiguous(later, rng):
    """A large stride that is off by 1 is as wrong as a small one"""
    check_each_stride(later, rng, sizes=(230, 260), ndim=4)


TORCHS = {"transpose": torch.transpose, "select": torch.select, "slice_dim": torch.ops.aten.slice}


def check_operation(later, rng, name, layout, change=lambda layout: layout, drawn=random_dim):
    """Calls an operation with drawn arguments; `drawn` draws dimensions and indices."""
    dim = drawn(rng, len(layout[0]))
    if name == "transpose":
        more = [drawn(rng, len(layout[0]))]
    elif name == "slice_dim":
        more = [*rng.integers(-7, 8, size=2).tolist(), int(rng.integers(1, 5))]
    else:
        more = [drawn(rng, layout[0][dim])]
    check_call(later, name, layout, (dim, *more), change)


def check_call(later, name, layout, arguments, change=lambda layout: layout):
    """Compares an operation on a layout that is changed with torch's on the layout itself."""
    right = layout_of(TORCHS[name](tensor_of(layout), *arguments))
    getattr(later.strides, name)(*change(layout), *arguments).equals(change(right))


@pytest.mark.exercise("view_metadata")
def test_transpose_is_torchs(later, rng):
    """Transposed layouts are torch's, also with negative dimensions"""
    for _ in range(60):
        check_operation(later, rng, "transpose", random_layout(rng, smallest=0, dims=(1, 5)))


@pytest.mark.exercise("view_metadata", weight=2)
def test_slice_is_torchs(later, rng):
    """Sliced layouts are torch's, also with bounds that are negative or out of range"""
    for _ in range(100):
        check_operation(later, rng, "slice_dim", random_layout(rng, smallest=0, dims=(1, 5)))


@pytest.mark.exercise("view_metadata")
def test_slice_with_open_ends(later, rng):
    """Open ends mean the first and the last index, with any step; the default step is 1"""
    empty = (3, 0, 2), (2, 2, 1), int(rng.integers(5, 9))
    for i in range(20):
        layout = random_layout(rng, smallest=1, dims=(1, 5)) if i else empty
        start, stop = rng.integers(-7, 8, size=2).tolist()
        dim = random_dim(rng, len(layout[0])) if i else 1
        for bounds in [(None, stop), (start, None), (None, None), (start, stop)]:
            for step in [(), (int(rng.integers(2, 5)),)]:
                check_call(later, "slice_dim", layout, (dim, *bounds, *step))


@pytest.mark.exercise("view_metadata")
def test_select_is_torchs(later, rng):
    """Selected layouts are torch's, also with negative dimensions and indices"""
    for _ in range(60):
        check_operation(later, rng, "select", random_layout(rng, dims=(1, 5)))
    rows, columns, offset = rng.integers(2, 9, size=3).tolist()
    layout = (rows, 0, columns), (columns, columns, 1), offset  # empty, but not in these dimensions
    for dim, index in [(0, rows - 1), (-3, -1), (2, columns - 1), (-1, 0)]:
        check_call(later, "select", layout, (dim, index))


@pytest.mark.exercise("view_metadata")
def test_layouts_that_go_backwards(later, rng):
    """With negative strides or offsets, each operation changes the layout by the same rules"""

    for i in range(40):
        layout = random_layout(rng, dims=(1, 5))
        start = layout[2] if i % 2 else -1  # from -1, the offset is negative

        def backwards(layout, start=start):
            """The mirror image of a layout: every step from the position `start` is reversed."""
            return list(layout[0]), [-stride for stride in layout[1]], 2 * start - layout[2]

        for name in TORCHS:
            check_operation(later, rng, name, layout, backwards, from_the_first)


@pytest.mark.exercise("view_metadata")
def test_huge_layouts(later, rng):
    """With strides and an offset beyond 2^53, each operation is exact"""
    for _ in range(40):
        scale = int(rng.integers(2**53, 2**55)) | 1

        def far(layout, scale=scale):
            return layout[0], tuple(stride * scale for stride in layout[1]), layout[2] * scale

        for name in TORCHS:
            check_operation(later, rng, name, random_layout(rng, dims=(1, 5)), far, from_the_first)


def random_factors(rng, number):
    """Sizes whose product is `number`, with a few ones in between."""
    factors = []
    while number > 1:
        divisors = [d for d in range(2, number + 1) if number % d == 0]
        factors.append(int(rng.choice(divisors)))
        number //= factors[-1]
    for _ in range(int(rng.integers(0, 2))):
        factors.insert(int(rng.integers(len(factors) + 1)), 1)
    return factors


def torch_view(shape, strides, new_shape):
    """The strides of torch's view, or None if torch finds none."""
    try:
        return torch.as_strided(STORAGE, shape, strides).view(new_shape).stride()
    except RuntimeError:
        return None


def check_view(later, shape, strides, new_shape):
    """Compares with torch."""
    check_strides(later, shape, strides, new_shape, torch_view(shape, strides, new_shape))


def check_strides(later, shape, strides, new_shape, expected):
    """Compares strides where they matter: in dimensions with more than one element."""
    given = shape, strides, (list if sum(new_shape) % 2 else tuple)(new_shape)
    what = f"view_strides{given}"
    sizes = torch.empty(shape, device="meta").reshape(new_shape).shape
    used = [d for d, size in enumerate(sizes) if size > 1 and 0 not in sizes]

    def check(found):
        if expected is None or not isinstance(found, list | tuple) or len(found) != len(expected):
            expect(found, what).equals(expected)
            return
        kinds = [type(stride).__name__ for stride in found]
        expect(kinds, "the types of strides").equals(["int"] * len(found))
        expect([found[d] for d in used], f"{what} at dimensions {used}").equals(
            [expected[d] for d in used]
        )

    later.strides.view_strides(*given).then(check)


def check_runs(later, rng):
    """Compares views of rows with a gap after each: a row can be split and merged, rows cannot."""
    rows, outer, inner = rng.integers(2, 6, size=3).tolist()
    row = outer * inner
    whole, split = (rows, row), (rows, outer, inner)
    for shape, strides in ((whole, (row + 1, 1)), (split, (row + 1, inner, 1))):
        for new_shape in (whole, split, (rows * row,), (rows * outer, inner)):
            check_view(later, shape, strides, new_shape)


def over_a_dimension_of_size_1(rng):
    """Dimensions that act as one, with a dimension of size 1 in between whose stride differs."""
    outer, inner = rng.integers(2, 6, size=2).tolist()
    return (outer, 1, inner), (inner, inner + 1, 1)


@pytest.mark.exercise("view_strides", weight=2)
def test_views_are_torchs(later, rng):
    """Views of random layouts exist where torch's do, and have their strides"""
    for _ in range(120):
        shape, strides, _ = random_layout(rng)
        check_view(later, shape, strides, random_factors(rng, math.prod(shape)))
    shape, strides = over_a_dimension_of_size_1(rng)
    check_view(later, shape, strides, (math.prod(shape),))


@pytest.mark.exercise("view_strides")
def test_dimensions_that_lie_like_one_are_merged(later, rng):
    """A dimension that was split can be merged again, with or without gaps in storage"""
    for _ in range(30):
        count = int(rng.choice([6, 12, 24, 30]))
        pieces, outer = random_factors(rng, count), int(rng.integers(1, 4))
        last = int(rng.integers(1, 4))
        gap = int(rng.integers(last, last + 3))
        inner = [gap * stride for stride in packed(pieces)]
        hole = int(rng.integers(0, 2))
        layout = (outer, *pieces, last), (gap * (count + hole), *inner, 1)
        for new_shape in ((outer, count, last), (outer * count, last), (outer * count * last,)):
            check_view(later, *layout, new_shape)


@pytest.mark.exercise("view_strides")
def test_views_of_broadcast_dimensions(later, rng):
    """Broadcast dimensions are merged and split like all others"""
    for _ in range(40):
        sizes = [*rng.choice([2, 4, 6], size=2).tolist(), int(rng.integers(2, 5))]
        steps = [0, 0, int(rng.choice([0, 1, 1, 2]))]
        order = rng.permutation(3).tolist() if rng.random() < 0.5 else [0, 1, 2]
        shape, strides = tuple(sizes[d] for d in order), tuple(steps[d] for d in order)
        for new_shape in (random_factors(rng, math.prod(shape)), [shape[0] * shape[1], shape[2]]):
            check_view(later, shape, strides, new_shape)


@pytest.mark.exercise("view_strides")
def test_views_of_huge_strides(later, rng):
    """With strides beyond 2^53, whether a view exists and its strides are exact"""
    for _ in range(8):
        outer, inner = (int(n) for n in rng.integers(2, 6, size=2))
        step = int(rng.integers(2**54, 2**56)) | 1
        split, strides = (outer, inner), (inner * step, step)
        for new_shape in ((outer * inner,), (-1,)):
            later.strides.view_strides(split, strides, new_shape).equals((step,))
            for off in (1, -1):
                apart = inner * step + off, step
                later.strides.view_strides(split, apart, new_shape).equals(None)
        later.strides.view_strides((outer * inner,), (step,), split).equals(strides)
    check_runs(later, rng)


@pytest.mark.exercise("view_strides")
def test_where_the_last_element_is_does_not_decide(later, rng):
    """A layout whose first and last steps fit a single stride may have no view all the same"""
    for _ in range(10):
        size, inner = (int(n) for n in rng.integers(2, 6, size=2))
        for off in (0, 1, 2):  # the last element stays where it is
            layout = (size, size, inner), (size * inner + 2 - off, inner - 2 + off, 1)
            for new_shape in ((size * size * inner,), (size * size, inner)):
                check_view(later, *layout, new_shape)
    check_runs(later, rng)


@pytest.mark.exercise("view_strides")
def test_sizes_of_1_can_come_and_go(later, rng):
    """Dimensions of size 1, with any stride, do not affect whether a view exists"""
    for _ in range(30):
        rows, columns = rng.integers(2, 5, size=2).tolist()
        shape, strides = [rows, columns], [columns, 1] if rng.random() < 0.5 else [1, rows]
        for _ in range(int(rng.integers(1, 4))):
            at = int(rng.integers(len(shape) + 1))
            shape.insert(at, 1)
            strides.insert(at, int(rng.integers(0, 99)))
        for new_shape in ([rows * columns], [1, rows, 1, columns], [columns, 1, rows]):
            check_view(later, shape, strides, new_shape)
    for ndim in range(3):  # a single element
        for new_shape in [(), (1, 1)]:
            check_view(later, (1,) * ndim, rng.integers(0, 99, size=ndim).tolist(), new_shape)
    check_runs(later, rng)


def some_layout(rng, alike):
    """Shape, strides and a new shape, without sizes of 1; with `alike` like one dimension."""
    shape, strides, _ = random_layout(rng, smallest=2, dims=(2, 4))
    new_shape = [size for size in random_factors(rng, math.prod(shape)) if size > 1]
    return shape, packed(shape) if alike else strides, new_shape


@pytest.mark.exercise("view_strides")
def test_views_of_layouts_that_go_backwards(later, rng):
    """With all strides negated, the same views exist, and their strides are negated"""
    for i in range(40):
        shape, strides, new_shape = some_layout(rng, i % 2)
        view = torch_view(shape, strides, new_shape)
        expected = None if view is None else [-stride for stride in view]
        check_strides(later, shape, [-stride for stride in strides], new_shape, expected)


def evenly_spaced(shape, strides, new_shape):
    """The strides of a view, found in the positions of all elements, or None if there is none."""
    at = sum(i * stride for i, stride in zip(np.indices(shape), strides, strict=True))
    steps = [np.unique(np.diff(at.reshape(new_shape), axis=d)) for d in range(len(new_shape))]
    if any(len(each) > 1 for each in steps):
        return None
    return [int(each[0]) if len(each) else 0 for each in steps]


@pytest.mark.exercise("view_strides")
def test_views_of_layouts_that_go_both_ways(later, rng):
    """If only some strides are negative, a view exists where its elements are evenly spaced"""
    for i in range(24):
        shape, strides, new_shape = some_layout(rng, i % 2)
        strides = [-strides[0], *strides[1:]] if i % 3 else [*strides[:-1], -strides[-1]]
        for sizes in ([math.prod(shape)], new_shape, shape):
            expected = evenly_spaced(shape, strides, sizes)
            check_strides(later, shape, strides, sizes, expected)
    check_runs(later, rng)


@pytest.mark.exercise("view_strides")
def test_the_unknown_size_is_found(later, rng):
    """A size of -1 is computed so that the number of elements matches"""
    for _ in range(60):
        shape, strides, _ = random_layout(rng)
        new_shape = random_factors(rng, math.prod(shape)) or [1]
        new_shape[int(rng.integers(len(new_shape)))] = -1
        check_view(later, shape, strides, new_shape)
    check_view(later, *over_a_dimension_of_size_1(rng), (-1,))
    check_runs(later, rng)


@pytest.mark.exercise("view_strides")
def test_views_without_elements(later, rng):
    """A layout without elements can be viewed as every shape without elements"""
    for _ in range(20):
        shape = rng.integers(2, 5, size=3).tolist()
        strides = rng.integers(5, 9, size=3).tolist()
        check_view(later, shape, strides, [math.prod(shape)])
        shape[int(rng.integers(3))] = 0
        for new_shape in [(0,), (2, 0, 3), (0, 5), (-1,), (7, -1), shape]:
            check_view(later, shape, strides, new_shape)
    check_runs(later, rng)


@pytest.mark.exercise("view_strides")
def test_refuses_shapes_of_another_size(later, rng):
    """A different number of elements is refused, also with -1 in the shape"""
    for new_shape in [(5,), (2, 4), (), (0,), (4, -1), (0, -1)]:
        later.strides.view_strides((2, 3), (3, 1), new_shape).raises(ValueError)
    later.strides.view_strides((0, 3), (3, 1), (1,)).raises(ValueError)
    check_runs(later, rng)


@pytest.mark.exercise("view_strides")
def test_refuses_shapes_that_are_ambiguous(later, rng):
    """Two or more sizes of -1, and without elements -1 together with 0, are refused"""
    for shape, strides, new_shape in [
        ((2, 3), (3, 1), (-1, -1)),
        ((1,), (1,), (-1, -1)),
        ((0, 3), (3, 1), (0, -1)),
        ((0, 3), (3, 1), (-1, 5, 0)),
        # Each of these could be 1.
        ((1,), (1,), (-1, -1, -1)),
        ((2,), (1,), (-1, -1, 2, -1)),
    ]:
        later.strides.view_strides(shape, strides, new_shape).raises(ValueError)
    check_view(later, (2, 3), (3, 1), (-1, 2))
    check_runs(later, rng)


def elements(storage, shape, strides, offset):
    """The tensor of a layout, gathered in a loop over its elements."""
    result = torch.empty(shape, dtype=storage.dtype)
    for index in itertools.product(*map(range, shape)):
        result[index] = storage[offset + sum(i * s for i, s in zip(index, strides, strict=True))]
    return result


def reach(shape, strides):
    """How far a layout extends before and after the element (0, …, 0)."""
    steps = [(size - 1) * stride for size, stride in zip(shape, strides, strict=True)]
    return -sum(min(step, 0) for step in steps), sum(max(step, 0) for step in steps)


def shuffled(torch_rng, size):
    """Storage with distinct elements, none equal to its own position."""
    return 1000 + torch.randperm(size, generator=torch_rng)


def check_gathered(later, rng, torch_rng, count=8, smallest=2, dims=(2, 5)):
    """Compares random layouts with torch.as_strided."""
    for _ in range(count):
        layout = random_layout(rng, smallest, dims)
        size = layout[2] + reach(*layout[:2])[1] + 1 + int(rng.integers(0, 3))
        # A single element may have any stride, which is a trap of torch's own: its bytes
        # cannot be viewed.
        storage = shuffled(torch_rng, max(size, 2))
        later.strides.gather(storage, *layout).equals(torch.as_strided(storage, *layout))


@pytest.mark.exercise("gather", weight=2)
def test_gathered_layouts_are_torchs(later, rng, torch_rng):
    """Random layouts, also permuted and broadcast, give the tensor of torch.as_strided"""
    check_gathered(later, rng, torch_rng, count=60, smallest=1, dims=(0, 5))


@pytest.mark.exercise("gather")
def test_gathers_overlapping_windows(later, rng, torch_rng):
    """Overlapping windows are those of torch's unfold; the default offset is 0"""
    for _ in range(15):
        width, step, size = (int(n) for n in rng.integers(1, 6, size=3))
        storage = shuffled(torch_rng, width + size)
        windows = storage.unfold(0, width, step)
        later.strides.gather(storage, tuple(windows.shape), (step, 1)).equals(windows)


def both_ways(rng, torch_rng, ndim):
    """Storage that a layout of strides of any sign fills to both ends, shape, strides, offset."""
    shape = rng.integers(1, 5, size=ndim).tolist()
    strides = rng.integers(-4, 5, size=ndim).tolist()
    before, after = reach(shape, strides)
    return shuffled(torch_rng, before + after + 1), shape, strides, before


@pytest.mark.exercise("gather")
def test_gathers_backwards(later, rng, torch_rng):
    """A negative stride goes backwards from the offset"""
    for _ in range(25):
        given = both_ways(rng, torch_rng, int(rng.integers(1, 4)))
        later.strides.gather(*given).equals(elements(*given))
    later.strides.gather(torch.arange(9), (3, 3), (-3, -1), 8).equals(
        torch.arange(9).flip(0).reshape(3, 3)
    )


@pytest.mark.exercise("gather")
def test_gathers_every_dtype(later, rng, torch_rng):
    """The tensor has storage's dtype, and exactly its values"""
    for dtype in [
        *(torch.float64, torch.float32, torch.float16, torch.bfloat16),
        *(torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8),
        *(torch.bool, torch.complex64, torch.complex128),
    ]:
        rows, columns = rng.integers(2, 5, size=2).tolist()
        # As an integer beyond what float64 can hold.
        values = torch.randint(-(2**62), 2**62, (rows, columns), generator=torch_rng)
        if dtype.is_floating_point or dtype.is_complex:
            values = values / 2**61
        matrix = (values > 0 if dtype is torch.bool else values).to(dtype)
        later.strides.gather(matrix.flatten(), (columns, rows), (1, columns)).equals(matrix.T)
    check_gathered(later, rng, torch_rng)


@pytest.mark.exercise("gather")
def test_gathers_a_single_element(later, rng, torch_rng):
    """The shape () gives the element at the offset; strides of sizes of 1 are not used"""
    for _ in range(8):
        storage = shuffled(torch_rng, int(rng.integers(1, 20)))
        at, ndim = int(rng.integers(len(storage))), int(rng.integers(1, 5))
        later.strides.gather(storage, (), (), at).equals(storage[at])
        strides = [int(n) for n in rng.integers(-99, 99, size=ndim)]
        later.strides.gather(storage, (1,) * ndim, strides, at).equals(
            storage[at].reshape((1,) * ndim)
        )
    check_gathered(later, rng, torch_rng)


@pytest.mark.exercise("gather")
def test_gathers_from_far_into_large_storage(later, rng):
    """A position beyond 2^24 is exact"""
    storage = torch.zeros(2**24 + 1000, dtype=torch.int8)
    storage[-1200:] = torch.from_numpy(rng.integers(0, 100, size=1200, dtype=np.int8))
    step = int(rng.choice([3, 5, 7]))  # odd: float32 holds every even position here
    offset = 2**24 + int(rng.integers(0, 300))
    later.strides.gather(storage, (8, 9), (9 * step, step), offset).equals(
        storage[offset : offset + 72 * step : step].reshape(8, 9)
    )


@pytest.mark.exercise("gather")
def test_gathers_nothing(later, rng, torch_rng):
    """Without elements, any strides, any offset and an empty storage are valid"""
    for dtype in (torch.float64, torch.int32, torch.float32, torch.bool):
        shape = [int(n) for n in rng.integers(1, 5, size=int(rng.integers(1, 4)))]
        shape.insert(int(rng.integers(len(shape) + 1)), 0)
        strides = [int(n) for n in rng.integers(-99, 99, size=len(shape))]
        size = int(rng.integers(0, 5))
        for offset in (0, size, size + 1, -1, int(rng.integers(-99, 99))):
            for storage in (torch.ones(0, dtype=dtype), torch.ones(size, dtype=dtype)):
                later.strides.gather(storage, shape, strides, offset).equals(
                    torch.empty(shape, dtype=dtype)
                )
    check_gathered(later, rng, torch_rng)


@pytest.mark.exercise("gather")
def test_refuses_to_read_beyond_storage(later, rng, torch_rng):
    """An element one position before the start or after the end is refused with an IndexError"""
    for _ in range(12):
        storage, shape, strides, before = both_ways(rng, torch_rng, int(rng.integers(0, 4)))
        beyond = -len(storage), before + 2 ** int(rng.integers(32, 50))
        for offset in (before + 1, before - 1, *beyond):
            later.strides.gather(storage, shape, strides, offset).raises(IndexError)
        for part in (storage[:-1], storage[:0]):
            later.strides.gather(part, shape, strides, before).raises(IndexError)
        later.strides.gather(storage, shape, strides, before).equals(
            elements(storage, shape, strides, before)
        )


@pytest.mark.exercise("gather")
def test_gathers_out_of_a_part_of_a_tensor(later, rng, torch_rng):
    """If storage is part of a larger tensor, positions count within that part, and one beyond it
    is an IndexError"""
    for i in range(10):
        start, left = (int(n) for n in rng.integers(1, 5, size=2))
        shape = [int(n) for n in rng.integers(1, 4, size=2)]
        strides = [int(n) for n in rng.integers(1, 4, size=2)]
        offset, step = int(rng.integers(1, 4)), int(rng.integers(1, 4)) if i else 1
        size = offset + reach(shape, strides)[1] + 1
        whole = shuffled(torch_rng, start + size * step + left)
        part = whole[start : start + size * step : step]
        later.strides.gather(part, shape, strides, offset).equals(
            elements(part, shape, strides, offset)
        )
        later.strides.gather(part, shape, strides, offset + 1).raises(IndexError)
