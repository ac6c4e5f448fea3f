"""A layout that is wrong is drawn beside the right one."""

import pytest
import torch

from assignment.student.drawn import draw_layout

SIXTEEN = "<a tensor (16,) of torch.int64>"
FIRST, LAST = torch.tensor([2, 6]), torch.tensor([14, 10])


@pytest.mark.parametrize(
    ("call", "found", "expected", "right", "yours"),
    [
        ("storage_index((1, 2), (4, 1))", 3, 6, ". . . . . . ^", ". . . ^ . . ."),
        ("row_major_strides((2, 2))", (1, 2), (2, 1), "0 1 2 3", "0 2 1 3"),
        (
            "transpose((2, 3), (3, 1), 0, 0, 1)",
            ((3, 2), (3, 1), 0),
            ((3, 2), (1, 3), 0),
            "0 2 4 1 3 5 . .",
            "0 1 . 2 3 . 4 5",
        ),
        ("view_strides((2, 2), (0, 1), [2, 2, 1])", [2, 1, 1], (0, 1, 9), "* * . .", "0 1 2 3"),
        (f"gather({SIXTEEN}, (2,), (4,), 2)", LAST, FIRST, ". . 0 . . . 1", None),
        ("gather(torch.tensor([7, 8]), (2,), (1,))", LAST, FIRST, "0 1", None),
    ],
)
def test_layout_is_drawn(call, found, expected, right, yours):
    lines = {label: text.split() for label, text in draw_layout(f"strides.{call}", found, expected)}
    lines.pop("drawn")
    assert lines.pop("storage") == [str(n) for n in range(len(right.split()))]
    assert lines.pop("right") == right.split()
    assert lines.pop("yours", None) == (yours.split() if yours else None)
    assert not lines


@pytest.mark.parametrize(
    ("call", "found", "expected"),
    [
        ("storage_index((1, 2), (400, 1))", 3, 402),
        ("storage_index((1, 2), (4, 1))", 10**4000, 6),
        ("storage_index((1, 2), (4, 1))", -1, 6),
        ("storage_index((1, 2), (4, 1))", 6.0, 6),
        ("storage_index((1, 2), (4, 1), …)", 3, 6),
        ("row_major_strides((2, 2))", None, (2, 1)),
        ("row_major_strides((2, 2))", (2, 1, 1), (2, 1)),
        ("row_major_strides((2, 1))", (1, 5), (1, 1)),
        ("row_major_strides((20, 20, 20, 20, 20, 20))", (0,) * 6, (1,) * 6),
        ("row_major_strides((2, 2))", (1,) * 10**6, (2, 1)),
        ("view_strides((2, 2), (0, 1), (-1,))", (1,), (2,)),
        ("view_strides((2, 2), (0, 1), (4,))", (1,), None),
        ("is_contiguous((2, 2), (0, 1))", True, False),
        ("row_major_strides(shape=(2, 2))", (1, 2), (2, 1)),
        ("view_strides((2, 2), (0, 1), new_shape=(4,))", (1,), (2,)),
        (f"gather({SIXTEEN}, (2,), (4,), 2)", LAST.double(), FIRST),
        (f"gather({SIXTEEN}, (2,), (40,), 2)", LAST, FIRST),
    ],
)
def test_nothing_is_drawn_that_is_none_or_too_large(call, found, expected):
    assert draw_layout(f"strides.{call}", found, expected) == []
