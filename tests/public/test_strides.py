"""Strides, with numbers to check by hand."""

import pytest
import torch

from assignment.expect import expect


def random_layout(rng):
    """A tensor with a layout to look at: some fresh, some permuted, some broadcast."""
    shape = [int(n) for n in rng.choice([0, 1, 2, 2, 3, 4], size=int(rng.integers(1, 5)))]
    tensor = torch.arange(300)[: torch.Size(shape).numel()].reshape(shape)
    tensor = tensor.permute([int(d) for d in rng.permutation(len(shape))])
    if rng.random() < 0.3:
        return tensor[None].expand(int(rng.integers(1, 4)), *tensor.shape)
    return tensor


def layout_of(tensor):
    return tuple(tensor.shape), tensor.stride(), tensor.storage_offset()


@pytest.mark.exercise("storage_index")
def test_strides_of_a_4x4(impl):
    """A 4×4 tensor has strides (4, 1)"""
    expect(impl.strides.row_major_strides((4, 4))).equals(
        (4, 1), hint="the next row starts 4 elements later, the next column 1 element later"
    )


@pytest.mark.exercise("storage_index")
def test_strides_of_other_shapes(impl):
    """A 2×3×5 tensor has strides (15, 5, 1), and a scalar has none"""
    expect(impl.strides.row_major_strides((2, 3, 5))).equals((15, 5, 1))
    expect(impl.strides.row_major_strides(())).equals(())


@pytest.mark.exercise("storage_index")
def test_a_size_of_0_counts_as_1(impl):
    """A size of 0 counts as 1: a 2×0×3 tensor has strides (3, 3, 1)"""
    expect(impl.strides.row_major_strides((2, 0, 3))).equals(
        (3, 3, 1), hint="this is torch's rule: no stride of a fresh tensor is 0"
    )


@pytest.mark.exercise("storage_index")
def test_strides_of_random_shapes(impl, rng):
    """Each stride is the product of the sizes to its right, exact even beyond 64 bits"""
    drawn = [[int(n) for n in rng.choice([0, 1, 2, 3, 1023], size=i % 5)] for i in range(20)]
    for shape in [[0, 2, 3], *drawn]:
        fresh = torch.empty(shape, device="meta")
        expect(impl.strides.row_major_strides(shape), f"strides of {shape}").equals(fresh.stride())
    expect(impl.strides.row_major_strides((2, 10**7, 10**7, 10**7))).equals(
        (10**21, 10**14, 10**7, 1), hint="Python's ints have no largest value; numpy's do"
    )


@pytest.mark.exercise("storage_index")
def test_element_of_a_4x4(impl):
    """In a 4×4 row-major tensor the element (1, 2) is at position 6"""
    expect(impl.strides.storage_index((1, 2), (4, 1))).equals(
        6, hint="one row is 4 elements, two columns are 2"
    )


@pytest.mark.exercise("storage_index")
def test_element_of_a_column(impl):
    """Column 2 of a 4x4 tensor has stride 4 and offset 2, so its element 3 is at index 14"""
    expect(impl.strides.storage_index((3,), (4,), offset=2)).equals(14, hint="add the offset once")


@pytest.mark.exercise("storage_index")
def test_any_position_follows_the_rule(impl, rng):
    """Strides, offset and position may be negative, and a position is exact however large it is"""
    expect(impl.strides.storage_index((3, 1), (2**53, 1))).equals(3 * 2**53 + 1)
    for i in range(20):
        index = [int(n) for n in rng.integers(0, 9, size=i % 4)]
        strides = [int(n) for n in rng.integers(-9, 9, size=i % 4)]
        offset = int(rng.integers(-9, 9)) if i % 2 else int(rng.integers(2**60)) | 1
        position = offset
        for at, stride in zip(index, strides, strict=True):
            position += at * stride
        found = impl.strides.storage_index(index, strides, offset)
        expect(found, f"storage_index{(index, strides, offset)}").equals(
            position, hint="a position may be any int, also one far below or above 0"
        )


@pytest.mark.exercise("storage_index")
def test_a_transpose_is_not_contiguous(impl):
    """A row-major 2×3 tensor is contiguous, but its transpose is not"""
    expect(impl.strides.is_contiguous((2, 3), (3, 1))).equals(True)
    expect(impl.strides.is_contiguous((3, 2), (1, 3))).equals(
        False, hint="compare with the strides of a fresh tensor of this shape"
    )


@pytest.mark.exercise("storage_index")
def test_a_size_of_1_does_not_matter(impl):
    """Strides of dimensions of size 1 and of tensors without elements do not matter"""
    for case, is_so in (
        (((1, 3), (99, 1)), True),
        (((0, 3), (7, 7)), True),
        (((2, 3), (99, 1)), False),
    ):
        expect(impl.strides.is_contiguous(*case), f"is_contiguous of {case}").equals(is_so)


@pytest.mark.exercise("storage_index")
def test_contiguity_of_random_layouts(impl, rng):
    """A layout is contiguous exactly if torch says so, also a scalar, one element, or none"""
    for _ in range(30):
        shape, strides, _ = layout_of(tensor := random_layout(rng))
        expect(impl.strides.is_contiguous(shape, strides), f"{shape} with {strides}").equals(
            tensor.is_contiguous()
        )
    for shape, strides, answer in [
        *(((), (), True), ((1,), (5,), True), ((1, 1), (3, 7), True), ((3,), (-1,), False)),
        *(((2, 3), (-3, 1), False), ((2, 1000, 1000), (10**6 + 1, 1000, 1), False)),
        # The last element of 4×4 is where it would be in row-major order.
        *(((3, 5), (0, 1), False), ((4, 4), (3, 2), False)),
    ]:
        expect(impl.strides.is_contiguous(shape, strides), f"{shape} with {strides}").equals(answer)


@pytest.mark.exercise("view_metadata")
def test_transpose_swaps(impl):
    """The transpose of a 2×3 tensor has shape (3, 2) and strides (1, 3), by dims -1 and -2 too"""
    expect(impl.strides.transpose((2, 3), (3, 1), 0, 0, 1)).equals(((3, 2), (1, 3), 0))
    expect(impl.strides.transpose((2, 3), (3, 1), 0, -1, -2)).equals(
        ((3, 2), (1, 3), 0), hint="a negative dimension counts from the end"
    )


@pytest.mark.exercise("view_metadata")
def test_slice_moves_the_offset(impl):
    """Every second column of a 4×4 tensor from 1 has offset 1 and stride 2; bounds are Python's"""
    expect(impl.strides.slice_dim((4, 4), (4, 1), 0, 1, 1, 4, 2)).equals(((4, 2), (4, 2), 1))
    expect(impl.strides.slice_dim((4, 4), (4, 1), 0, 0, 1, 4)).equals(
        ((3, 4), (4, 1), 4), hint="one row further is 4 elements further"
    )
    expect(impl.strides.slice_dim((4, 4), (4, 1), 0, 0, -1, 100)).equals(
        ((1, 4), (4, 1), 12), hint="as in Python, -1 is the last row and 100 is clipped to the end"
    )
    expect(impl.strides.slice_dim((2, 3), (3, 1), 5, 0, 2, 1)).equals(
        ((0, 3), (3, 1), 11), hint="the offset moves to `start`, even if nothing is left"
    )


@pytest.mark.exercise("view_metadata")
def test_select_drops_a_dimension(impl):
    """Column 2 of a 4×4 tensor has offset 2 and stride 4"""
    expect(impl.strides.select((4, 4), (4, 1), 0, 1, 2)).equals(((4,), (4,), 2))
    expect(impl.strides.select((4, 4), (4, 1), 0, 0, -1)).equals(((4,), (1,), 12))


@pytest.mark.exercise("view_metadata")
def test_random_views(impl, rng):
    """Each operation gives torch's layout, from any offset and with any strides"""
    for i in range(30):
        tensor = random_layout(rng)
        shape, strides, _ = layout_of(tensor)
        offset, sign = int(rng.integers(-9, 9)), -1 if i % 3 == 0 else 1
        if i % 3 == 1:
            sign = 2**60 + 1  # far beyond what a float can count
        given = list(shape), [sign * stride for stride in strides], offset
        dim0, dim1 = (int(d) for d in rng.integers(-len(shape), len(shape), size=2))
        start, stop = (int(n) for n in rng.integers(-6, 7, size=2))
        start, stop = [(start, stop), (None, stop), (start, None), (None, None)][i % 4]
        step = int(rng.integers(1, 4))
        sliced = torch.ops.aten.slice(tensor, dim0, start, stop, step)
        calls = [("transpose", (dim0, dim1), tensor.transpose(dim0, dim1))]
        calls.append(("slice_dim", (dim0, start, stop, step), sliced))
        if (size := shape[dim0]) > 0:
            at = int(rng.integers(-size, size))
            calls.append(("select", (dim0, at), tensor.select(dim0, at)))
        for name, arguments, expected in calls:
            shape_, strides_, moved = layout_of(expected)
            found = getattr(impl.strides, name)(*given, *arguments)
            expect(found, f"{name}{(*given, *arguments)}").equals(
                (shape_, tuple(sign * s for s in strides_), offset + sign * moved)
            )


@pytest.mark.exercise("view_strides")
def test_a_view_that_exists(impl):
    """A row-major 2×6 tensor can be viewed as 2×3×2 and as 12 elements"""
    expect(impl.strides.view_strides((2, 6), (6, 1), (2, 3, 2))).equals((6, 2, 1))
    expect(impl.strides.view_strides((2, 6), (6, 1), (-1,))).equals(
        (1,), hint="-1 is computed so that the number of elements matches"
    )


@pytest.mark.exercise("view_strides")
def test_a_view_that_does_not_exist(impl):
    """The transpose of a 2×3 tensor cannot be viewed as 6 elements, but as 3×2×1"""
    expect(impl.strides.view_strides((3, 2), (1, 3), (6,))).equals(
        None, hint="the elements are at 0, 3, 1, 4, 2, 5: no single stride gives these positions"
    )
    strides = impl.strides.view_strides((3, 2), (1, 3), (3, 2, 1))
    expect(strides is None, "is there no view as 3×2×1").equals(False)
    expect(strides[:2], "the first two strides").equals((1, 3))


@pytest.mark.exercise("view_strides")
def test_a_row_repeated(impl):
    """A row of 3 broadcast to 4×3 can be viewed as 2×2×3, but not as 12 elements"""
    expect(impl.strides.view_strides((4, 3), (0, 1), (2, 2, 3))).equals((0, 0, 1))
    expect(impl.strides.view_strides((4, 3), (0, 1), (12,))).equals(None)


@pytest.mark.exercise("view_strides")
def test_refuses_another_number_of_elements(impl):
    """A shape with a different number of elements is refused"""
    expect(impl.strides.view_strides((6,), (2,), (2, 3))).equals((6, 2))
    for shape, new_shape in [((6,), (2, 4)), ((0,), (3,))]:
        with pytest.raises(ValueError):
            impl.strides.view_strides(shape, (2,), new_shape)


@pytest.mark.exercise("view_strides")
def test_random_views_are_torchs(impl, rng):
    """A view exists if `torch.Tensor.view` makes one, and shows the same elements"""
    shapes = [(12,), (2, 6), (3, 4), (3, 1, 4), (2, 3, 2), (6, 1, 1, 2), (4, 3), (1, 12, 1)]
    for _ in range(40):
        shape, new_shape = (list(shapes[int(i)]) for i in rng.integers(len(shapes), size=2))
        order = [int(d) for d in rng.permutation(len(shape))] if rng.random() < 0.4 else None
        tensor = torch.arange(12).reshape(shape)
        tensor = tensor if order is None else tensor.permute(order)
        if rng.random() < 0.3:
            tensor = tensor[..., :1].expand(tensor.shape)  # repeats the first of each row
        try:
            expected = tensor.view(new_shape)
        except RuntimeError:
            expected = None
        if rng.random() < 0.5:
            new_shape[int(rng.integers(len(new_shape)))] = -1
        what = f"view_strides{(tuple(tensor.shape), tensor.stride(), new_shape)}"
        found = impl.strides.view_strides(tuple(tensor.shape), tensor.stride(), new_shape)
        if expected is None:
            expect(found, what).equals(None)
            continue
        if not isinstance(found, list | tuple) or len(found) != len(expected.shape):
            expect(found, what).equals(expected.stride())
        expect([type(stride) for stride in found], f"types in {what}").equals([int] * len(found))
        # The stride of a dimension of size 1 is never used.
        used = [d for d, size in enumerate(expected.shape) if size > 1]
        expect([found[d] for d in used], f"{what} at dimensions {used}").equals(
            [expected.stride()[d] for d in used]
        )


@pytest.mark.exercise("view_strides")
def test_views_of_unusual_layouts(impl):
    """Strides may be negative or huge, a single element is a scalar too, and none has any view"""
    far = 2**60 + 2
    for shape, strides, new_shape, expected in [
        ((2, 3), (-3, -1), (6,), (-1,)),
        ((2, 3), (3, -1), (6,), None),
        ((2, 3), (-3, 1), (3, 2), None),
        ((2, 2, 3), (6, 2, 5), (4, 3), None),
        ((2, 2), (far, far // 2), (4,), (far // 2,)),
        ((2, 2), (far + 1, far // 2), (4,), None),
        ((1, 1), (7, 9), (), ()),
        ((3, 1, 2), (2, 99, 1), (6,), (1,)),
        ((2, 2, 3), (0, 0, 1), (4, 3), (0, 1)),
    ]:
        found = impl.strides.view_strides(shape, strides, new_shape)
        expect(found, f"view_strides{(shape, strides, new_shape)}").equals(expected)
    for shape, new_shape in [((0, 3), (5, 0, 2)), ((3, 0), (-1, 4)), ((0,), (0, 7))]:
        found = impl.strides.view_strides(shape, (5, 7)[: len(shape)], new_shape)
        what = f"view_strides{(shape, (5, 7)[: len(shape)], new_shape)}"
        if not isinstance(found, list | tuple):
            expect(found, what).equals((0,) * len(new_shape))
        expect([type(stride) is int for stride in found], f"are strides ints in {what}").equals(
            [True] * len(new_shape), hint="without elements any ints are right"
        )


@pytest.mark.exercise("view_strides")
def test_refuses_what_is_no_shape(impl):
    """A second -1, an ambiguous -1 and one that no size can stand for are refused"""
    expect(impl.strides.view_strides((2, 3), (3, 1), (-1, 2))).equals((2, 1))
    for shape, new_shape in [
        *(((6,), (-1, -1)), ((6,), (-1, 4)), ((1,), (-1, -1, -1))),
        *(((0,), (-1, 0)), ((0, 2), (-1, 0, -1))),
    ]:
        with pytest.raises(ValueError):
            impl.strides.view_strides(shape, (2, 1)[-len(shape) :], new_shape)


@pytest.mark.exercise("gather")
def test_gathers_a_column_and_a_transpose(impl):
    """Gathers column 2 of a 4×4 tensor, and the transpose of its first two rows"""
    storage = torch.arange(16)
    expect(impl.strides.gather(storage, (4,), (4,), 2)).equals(torch.tensor([2, 6, 10, 14]))
    expect(impl.strides.gather(storage, (4, 2), (1, 4))).equals(
        torch.tensor([[0, 4], [1, 5], [2, 6], [3, 7]]), hint="the offset is 0 by default"
    )


@pytest.mark.exercise("gather")
def test_elements_may_repeat(impl):
    """Stride 0 repeats a row, windows overlap, and a negative stride goes backwards"""
    storage = torch.tensor([10.0, 11.0, 12.0, 13.0, 14.0])
    expect(impl.strides.gather(storage, (2, 2), (0, 1), 3)).equals(
        torch.tensor([[13.0, 14.0], [13.0, 14.0]])
    )
    expect(impl.strides.gather(storage, (3, 3), (1, 1))).equals(storage.unfold(0, 3, 1))
    expect(impl.strides.gather(storage, (5,), (-1,), 4)).equals(storage.flip(0))


@pytest.mark.exercise("gather")
def test_what_is_gathered_is_a_copy(impl):
    """The result is a copy: changing storage afterwards does not change it"""
    other = torch.full((6,), -1)
    for shape, strides, copied in [
        ((3,), (2,), torch.tensor([0, 2, 4])),
        ((2, 3), (3, 1), torch.tensor([[0, 1, 2], [3, 4, 5]])),
        ((), (), torch.tensor(0)),
    ]:
        storage = torch.arange(6)
        found = impl.scenarios.gather_from_part(storage, (0, 6, 1), shape, strides, 0, other)
        expect(found).equals(
            copied, hint="a view shows what storage holds later; storage[i] is one, too"
        )


@pytest.mark.exercise("gather")
def test_refuses_to_read_beyond_storage(impl):
    """An element before the start or after the end of storage is refused"""
    storage = torch.arange(4)
    expect(impl.strides.gather(storage, (2,), (3,))).equals(torch.tensor([0, 3]))
    expect(impl.strides.gather(storage, (3, 0), (9, 9), 99)).equals(storage[:0].reshape(3, 0))
    for layout in (((2,), (4,)), ((), (), -1)):
        with pytest.raises(IndexError):
            impl.strides.gather(storage, *layout)


@pytest.mark.exercise("gather")
def test_gathers_random_layouts(impl, rng):
    """Gathers what `torch.as_strided` shows, in any dtype, from a part of a tensor too"""
    n = torch.arange(90)
    wholes = [n + 2**60, n.to(torch.bfloat16), 1j * n, n % 3 == 0]
    for i in range(12):
        whole = wholes[i % 4]
        shape = [int(size) for size in rng.integers(i < 10, 4, size=(i + i // 4) % 4)]
        strides = [int(n) for n in rng.integers(0, 6, size=len(shape))]
        offset = int(rng.integers(0, 5))
        storage = whole[7:] if i % 3 else whole[7::2]  # more than 4 + 3 · 2 · 5 elements
        found = impl.strides.gather(storage, shape, strides, offset)
        alone = storage.clone()
        expect(found, f"gather(…, {shape}, {strides}, {offset})").equals(
            torch.as_strided(alone, shape, strides, offset),
            hint="positions count within `storage`, also where it is a slice of another tensor",
        )


@pytest.mark.exercise("gather")
def test_refuses_far_positions(impl):
    """A position of 2**32 or -2**32 is refused: neither is 0"""
    storage = torch.arange(4)
    expect(impl.strides.gather(storage, (2, 2), (1, 2))).equals(torch.tensor([[0, 2], [1, 3]]))
    for shape, offset in [((), 2**32), ((2,), 2**32), ((), -(2**32))]:
        with pytest.raises(IndexError):
            impl.strides.gather(storage, shape, (1,)[: len(shape)], offset)
