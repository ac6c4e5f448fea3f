"""Notes about wrong values: facts that a student can check."""

import math
from functools import partial
from itertools import product

import numpy as np
import pytest
import torch

from assignment.calls.text import cut
from assignment.expect import Mismatch, expect
from assignment.student import diagnosis


def note(found, expected, *, close=False):
    """What is said of a wrong value, and whether it takes the place of the test's hint."""
    check = partial(expect(found).close, rtol=1e-9) if close else expect(found).equals
    with pytest.raises(Mismatch) as caught:
        check(expected, hint="a hint")
    return diagnosis.of_mismatch(caught.value)


@pytest.mark.parametrize(
    ("found", "expected", "said"),
    [
        (32, 4, "8 times the expected value"),
        (-(2**63), 2**63, "a multiple of 2⁶⁴ away"),
        (3, 6, "half the expected value"),
        (-3.0, 3.0, "the expected value with the other sign"),
        (5, 6, "1 less than expected"),
        (float("nan"), 1.0, "nan is also what 0/0"),
        (4.0, 2.0, "twice the expected value"),
        (9.0, 3.0, "3 times the expected value"),
        (25.0, 5.0, "the square of the expected value"),
        ("False", False, "a bool is expected"),
        ((1, 4), (4, 1), "in reverse order"),
        ([1, 3, 2], [1, 2, 3], "the right items in another order"),
        ([2.0, 3.0, 3.0], [1.0, 2.0, 3.0], "the one expected after it"),
        ([1.0, 1.0, 2.0], [1.0, 2.0, 3.0], "the one expected before it"),
        ([1], [1, 2], "one item is missing"),
        ([3], [1, 2], ""),
        ([1, 3, 2], [1, 2], "one item too many"),
        ([*range(10**5)], [*range(1, 10**5)], "one item too many"),
        ([2, 4, 6], [1, 2, 3], "every element is twice"),
        (torch.ones(2, 3), torch.ones(3, 2), "the shape is that of the transpose"),
        (torch.ones(2), torch.zeros(2, dtype=torch.float64), "the dtype is another one"),
        ([1.0, torch.ones(2)], [1.0, torch.ones(2).double()], "in item 1, the values are right"),
        (torch.zeros(3), torch.ones(3), "every element is 0"),
        (torch.arange(4).reshape(2, 2).t(), torch.arange(4).reshape(2, 2), "it is the transpose"),
        (
            torch.arange(100),
            torch.arange(100).clamp(max=98),
            "first difference at [99]: 99 instead of 98",
        ),
        (7, 3, ""),
        (torch.ones(2, 3), torch.ones(4, 3, 2), ""),
        (10**400, 3, ""),
        (10**400, 10**400 + 1, "1 less than expected"),
        ([10**400, 3], [1, 2], ""),
        ((1, 2), (3, 4), ""),
        ({"a": 1.0}, {"a": 1}, "first difference at ['a']: 1.0 instead of 1; an int is expected"),
    ],
)
def test_what_is_said_of_a_value(found, expected, said):
    text, replaces = note(found, expected)
    assert said in text
    assert bool(text) == bool(said)
    assert not replaces


@pytest.mark.parametrize(
    ("found", "expected", "said"),
    [
        (torch.ones(2), torch.ones(2, dtype=torch.float64), "the values are right, the dtype"),
        (6.0, 6, "an int is expected"),
        (6, 6.0, "a float is expected"),
        (3, {"a": 1, "b": 2}, "a dict is expected, with 'a', 'b'"),
        (3, (1, 2), "2 results are expected"),
    ],
)
def test_what_is_said_of_a_form_takes_the_place_of_the_hint(found, expected, said):
    text, replaces = note(found, expected)
    assert said in text
    assert replaces


def test_no_value_is_too_odd_to_compare():
    """The grader compares whatever a submission returns: an exception here would end the grading"""
    shapes = [(), (0,), (3,), (2, 3), (3, 3), (2, 3, 4)]
    dtypes = [torch.float32, torch.bool, torch.uint64, torch.complex64, torch.float8_e5m2]
    tensors = [torch.ones(shape).to(dtype) for shape in shapes for dtype in dtypes]
    plain = [
        None,
        True,
        0,
        1.5,
        -(10**400),
        math.nan,
        math.inf,
        3j,
        "",
        b"a",
        (),
        [1],
        {},
        ...,
        {1},
    ]
    nested = [[10**400, 1], [math.nan, None], [torch.ones(3), 1], {"a": 10**400}, list(range(99))]
    for found, expected in product([*tensors, *plain, *nested], repeat=2):
        mismatch = Mismatch("", "x" * 99, "x" * 99, whole=(found, expected))
        diagnosis._of_mismatch(mismatch)  # which is not told to go on without a note


def test_a_thought_that_fails_is_none(monkeypatch):
    """A value that nobody foresaw costs a note, not the grading"""
    monkeypatch.setattr(diagnosis, "_of_values", lambda found, expected: found.no_such_name)
    assert note(1, 2) == ("", False)


def test_none_and_what_is_unchanged_take_the_place_of_the_hint():
    assert note(None, 3) == (diagnosis.RETURNED_NONE, True)
    assert note([1.0, None], [1.0, 2.0], close=True) == (diagnosis.RETURNED_NONE, True)
    moment = torch.zeros(1)
    moment.before = torch.zeros(1)
    assert note([moment], [torch.ones(1)], close=True) == (diagnosis.UNCHANGED, True)
    moment.before = torch.ones(1)
    assert note([moment], [torch.ones(1)], close=True)[0] != diagnosis.UNCHANGED


def test_the_right_values_as_tensors_are_in_no_other_order():
    assert "order" not in note([torch.tensor(1.0), torch.tensor(2.0)], [1.0, 2.0])[0]
    assert "order" in note([torch.tensor(2.0), torch.tensor(1.0), 3.0], [1.0, 3.0, 2.0])[0]


def test_a_message_names_the_position_and_shows_plain_numbers():
    with pytest.raises(Mismatch) as caught:
        expect({"a": np.array([1.0, 0.05])}, "the state").close(
            {"a": np.array([1.0, 2.0])}, rtol=0.1
        )
    assert "wrong: the state, at ['a'][1]\n  expected: 2.0 within a relative 0.1\n" in str(
        caught.value
    )
    assert "found:    0.05" in str(caught.value)


def test_an_exception_gets_a_thought_by_its_class_or_its_text():
    assert "spelled" in diagnosis.of_exception(NameError("name 'x' is not defined"))
    assert "None" in diagnosis.of_exception(TypeError("'NoneType' object is not subscriptable"))
    leaf = RuntimeError(
        "a leaf Variable that requires grad is being used in an in-place operation."
    )
    assert "no_grad" in diagnosis.of_exception(leaf)
    refused = RuntimeError("Weights only load failed … set `weights_only=False`, your choice")
    assert "keep weights_only=True" in diagnosis.of_exception(refused)
    assert diagnosis.of_exception(ArithmeticError("?")) == ""


def test_exception_whose_text_raises_has_no_thought():
    class Mute(Exception):
        def __str__(self):
            return None

    assert diagnosis.message_of(Mute()) == diagnosis.of_exception(Mute()) == ""


def test_odd_numbers_are_a_mismatch_with_their_kind():
    with pytest.raises(Mismatch, match="a whole number of 5001 bits"):  # beyond every float
        expect(2**5000).close(1.0, rtol=0.1)
    with pytest.raises(Mismatch, match="3, an int"):
        expect(3).is_a(list)


@pytest.mark.parametrize("kind", [float, np.array, torch.tensor])
def test_only_infinity_is_close_to_infinity(kind):
    """Once all but nan was, within a relative error"""
    infinity = kind(math.inf)
    for found in (kind(5.0), -infinity, kind(math.nan)):
        with pytest.raises(Mismatch):
            expect(found).close(infinity, rtol=0.1)
    expect(infinity).close(infinity, rtol=0.1)


def test_nan_equals_the_nan_of_a_tensor_only_if_it_is_asked_for():
    found = torch.tensor([1.0, torch.nan])
    expect(found).close(found.clone(), rtol=0.0, equal_nan=True)
    for expected, equal_nan in ((found, False), (found.nan_to_num(), True), (found.flip(0), True)):
        with pytest.raises(Mismatch):
            expect(found).close(expected, rtol=0.0, equal_nan=equal_nan)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a: 12345", "a: …"),
        ("a: 1.2", "a: 1.2"),
        ("a: 12, b", "a: 12, …"),
        ("1234567", "123456 …"),
    ],
)
def test_no_number_is_cut_in_two(text, shown):
    assert cut(text, 6) == shown
