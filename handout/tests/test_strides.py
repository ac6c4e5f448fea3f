"""Strides, with numbers to check by hand."""

import pytest
import torch

from assignment.expect import expect


@pytest.mark.exercise("row_major_strides")
def test_strides_of_a_4x4(impl):
    """A 4×4 tensor has strides (4, 1)"""
    expect(impl.strides.row_major_strides((4, 4))).equals(
        (4, 1), hint="the next row starts 4 elements later, the next column 1 element later"
    )


@pytest.mark.exercise("row_major_strides")
def test_strides_of_other_shapes(impl):
    """A 2×3×5 tensor has strides (15, 5, 1), and a scalar has none"""
    expect(impl.strides.row_major_strides((2, 3, 5))).equals((15, 5, 1))
    expect(impl.strides.row_major_strides(())).equals(())


@pytest.mark.exercise("row_major_strides")
def test_a_size_of_0_counts_as_1(impl):
    """A size of 0 counts as 1: a 2×0×3 tensor has strides (3, 3, 1)"""
    expect(impl.strides.row_major_strides((2, 0, 3))).equals(
        (3, 3, 1), hint="this is torch's rule: no stride of a fresh tensor is 0"
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
    expect(impl.strides.storage_index((3,), (4,), 2)).equals(14, hint="add the offset once")


@pytest.mark.exercise("storage_index")
def test_refuses_an_index_that_does_not_fit(impl):
    """One index for two dimensions and a negative index are refused"""
    expect(impl.strides.storage_index((0, 3), (4, 1))).equals(3)
    for index in [(1,), (0, -1)]:
        with pytest.raises(ValueError):
            impl.strides.storage_index(index, (4, 1))


@pytest.mark.exercise("is_contiguous")
def test_a_transpose_is_not_contiguous(impl):
    """A row-major 2×3 tensor is contiguous, but its transpose is not"""
    expect(impl.strides.is_contiguous((2, 3), (3, 1))).equals(True)
    expect(impl.strides.is_contiguous((3, 2), (1, 3))).equals(
        False, hint="compare with the strides of a fresh tensor of this shape"
    )


@pytest.mark.exercise("is_contiguous")
def test_a_size_of_1_does_not_matter(impl):
    """Strides of dimensions of size 1 and of tensors without elements do not matter"""
    expect(impl.strides.is_contiguous((1, 3), (99, 1))).equals(True)
    expect(impl.strides.is_contiguous((0, 3), (7, 7))).equals(True)
    expect(impl.strides.is_contiguous((2, 3), (99, 1))).equals(False)


@pytest.mark.exercise("view_metadata")
def test_transpose_swaps(impl):
    """The transpose of a 2×3 tensor has shape (3, 2) and strides (1, 3)"""
    expect(impl.strides.transpose((2, 3), (3, 1), 0, 0, 1)).equals(((3, 2), (1, 3), 0))
    expect(impl.strides.transpose((2, 3), (3, 1), 0, -1, -2)).equals(
        ((3, 2), (1, 3), 0), hint="a negative dimension counts from the end"
    )


@pytest.mark.exercise("view_metadata")
def test_slice_moves_the_offset(impl):
    """Every second column of a 4×4 tensor, from column 1: offset 1, column stride 2"""
    expect(impl.strides.slice_dim((4, 4), (4, 1), 0, 1, 1, 4, 2)).equals(((4, 2), (4, 2), 1))
    expect(impl.strides.slice_dim((4, 4), (4, 1), 0, 0, -1, 100)).equals(
        ((1, 4), (4, 1), 12), hint="as in Python, -1 is the last row and 100 is clipped to the end"
    )


@pytest.mark.exercise("view_metadata")
def test_select_drops_a_dimension(impl):
    """Column 2 of a 4×4 tensor has offset 2 and stride 4"""
    expect(impl.strides.select((4, 4), (4, 1), 0, 1, 2)).equals(((4,), (4,), 2))
    expect(impl.strides.select((4, 4), (4, 1), 0, 0, -1)).equals(((4,), (1,), 12))


@pytest.mark.exercise("view_metadata")
def test_refuses_what_is_out_of_range(impl):
    """A dimension or an index out of range is refused, and so is a step of 0"""
    expect(impl.strides.select((4,), (1,), 0, 0, 3)).equals(((), (), 3))
    with pytest.raises(IndexError):
        impl.strides.select((4,), (1,), 0, 0, 4)
    with pytest.raises(IndexError):
        impl.strides.transpose((4, 4), (4, 1), 0, 0, 2)
    with pytest.raises(ValueError):
        impl.strides.slice_dim((4,), (1,), 0, 0, 0, 4, 0)


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
    with pytest.raises(ValueError):
        impl.strides.view_strides((6,), (2,), (2, 4))


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
        expect(found).equals(copied, hint="a view shows what storage holds later")


@pytest.mark.exercise("gather")
def test_refuses_to_read_beyond_storage(impl):
    """An element before the start or after the end of storage is refused"""
    storage = torch.arange(4)
    expect(impl.strides.gather(storage, (2,), (3,))).equals(torch.tensor([0, 3]))
    expect(impl.strides.gather(storage, (3, 0), (9, 9), 99)).equals(storage[:0].reshape(3, 0))
    with pytest.raises(IndexError):
        impl.strides.gather(storage, (2,), (4,))
    with pytest.raises(IndexError):
        impl.strides.gather(storage, (), (), -1)
