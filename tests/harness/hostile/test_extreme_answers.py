"""Valid answers of extreme shape: they lose their own points, and the grading goes on.

The campaign `answers` gives such answers to every hidden test.
"""

import pytest

from grader.causes import Cause
from grader.faults import SubmissionFailure
from grader.results.record import to_json

ANSWERS = {
    "an empty tensor with a huge side": "torch.zeros(0, 2**39)",
    "many empty lists": "torch.zeros(9_000, 0)",
    "a key of 20 MB": "{'x' * 20_000_000: 1}",
    "a huge number": "-(2**4095)",
    "a deep list": "functools.reduce(lambda inner, _: [inner], range(31), [])",
    "a large tensor": "torch.zeros(2**28 - 1000, dtype=torch.uint8)",
}


@pytest.mark.parametrize("name", ANSWERS)
def test_extreme_answer_earns_nothing_and_is_no_fault(quick_grader, submit, name):
    module = "import functools\n\nimport torch\n\n\ndef storage_index(*_, **__):\n    return "
    grade = quick_grader.grade(
        submit(strides=module + ANSWERS[name]), only=["storage_index"], tests="public"
    )
    assert grade.faults == ()
    assert grade.score == 0
    assert len(to_json(grade)) < 200_000


def test_answer_can_be_sent_back_whatever_it_is(sandboxed):
    impl = sandboxed(
        toy="def deep():\n"
        "    value = []\n"
        "    for _ in range(30):\n"
        "        value = [value]\n"
        "    return [-(2**4095), value]\n"
        "def many():\n"
        "    return bytes(2**28 - 100)\n"
        "def takes(*values):\n"
        "    return True\n"
    )
    deep, many = impl.toy.deep(), impl.toy.many()
    assert impl.toy.takes((deep, [deep]))
    with pytest.raises(SubmissionFailure) as caught:
        impl.toy.takes([many] * 3)
    assert caught.value.cause is Cause.TOO_LARGE
