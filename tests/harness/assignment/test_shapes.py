"""A wrong shape's message names the argument, what is expected and what came, in few lines."""

import pytest
import torch
from jaxtyping import Float

from assignment.student.shapes import shape_error
from grader.worker.calls import with_shape_checks

WRONG_TARGETS = """
import numpy as np
import torch
from jaxtyping import Int64, Integer


def get_batch(
    tokens: Integer[np.ndarray, " T"], batch_size: int, context_length: int, device: str = "cpu"
) -> tuple[Int64[torch.Tensor, "B C"], Int64[torch.Tensor, "B C"]]:
    x = torch.zeros(batch_size, context_length, dtype=torch.int64)
    return x, torch.zeros(batch_size, context_length + 1, dtype=torch.int64)
"""


def product(
    x: Float[torch.Tensor, "B D"], w: Float[torch.Tensor, "D K"]
) -> Float[torch.Tensor, "B K"]:
    return x @ w if w.shape[1] > 1 else x


def said_of(*arguments):
    with pytest.raises(Exception) as caught:
        with_shape_checks(product)(*arguments)
    return shape_error(str(caught.value))


def test_argument_or_result_is_named_with_what_came():
    said = said_of(torch.ones(2, 3, dtype=torch.int64), torch.ones(3, 5))
    assert "argument x" in said
    assert "found:    i64[2,3]" in said
    assert "found:    f32[], without dimensions" in said_of(torch.ones(()), torch.ones(3, 1))
    said = said_of(torch.ones(2, 3), torch.ones(3, 1))
    assert "product: what it returned is not as annotated" in said
    assert "expected: Float[Tensor, 'B K']" in said
    assert "found:    f32[2,3]" in said


def counts(x: Float[torch.Tensor, " B"]) -> dict[str, int]:
    return {"first": 1.5, "a" * 40: 2, "b" * 40: 3}


def test_a_value_of_several_lines_is_whole():
    with pytest.raises(Exception, match="\n") as caught:
        with_shape_checks(counts)(torch.ones(2))
    assert f"found:    {{ 'first': 1.5, '{'a' * 40}': 2, " in shape_error(str(caught.value))


@pytest.mark.parametrize("text", ["", "expected no negative size, got -1", "Actual value: 3"])
def test_other_texts_are_left_alone(text):
    assert shape_error(text) is None


def test_the_grader_says_it_in_public_tests_alone(quick_grader, submit):
    grade = quick_grader.grade(submit(data=WRONG_TARGETS), only=["get_batch"])
    details = {
        visibility: [c.detail for c in grade.checks if c.visibility == visibility and c.detail]
        for visibility in ("public", "hidden")
    }
    assert any(
        "data.get_batch: what it returned is not as annotated" in d for d in details["public"]
    )
    assert not any("Stack of traces" in d for d in details["public"])
