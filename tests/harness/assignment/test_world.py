"""The world around a call: what a function may not leave changed."""

import gc
import random
import re
import threading
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from assignment.calls.world import LeftChanged, World
from assignment.scenarios import checkpoint
from tests.harness.assignment.changes import IDLE, LIBRARIES, SETTINGS, end_idle_threads

# What a call changes, and how that is named; only imports look at filters of warnings.
LEFT = {
    line: (partial(exec, LIBRARIES + line), re.escape(named.partition(" after ")[0]))
    for line, said in SETTINGS.items()
    if "warnings" not in (named := said.removeprefix("the import leaves "))
}
LEFT["a file"] = (lambda: Path("other").touch(), "file in the working folder: other")
LEFT["a thread"] = (lambda: threading.Thread(target=IDLE.wait).start(), "thread")


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    IDLE.clear()
    before = threading.enumerate()
    yield
    end_idle_threads(before)


def call(function, *args, target="toy.function", world=None):
    return (world or World()).call(target, function, args, {})


@pytest.mark.parametrize("fails", [False, True])
@pytest.mark.parametrize(("change", "named"), LEFT.values(), ids=LEFT)
def test_change_is_named_and_modes_are_set_again(change, named, fails):
    """Also a change before an error"""

    def function():
        change()
        if fails:
            raise ValueError("no")

    random.random(), np.random.seed(), torch.rand(1)  # so that a seed is not the last test's
    gradients, dtype, folder = torch.is_grad_enabled(), torch.get_default_dtype(), Path.cwd()
    with pytest.raises(LeftChanged, match=named) as caught:
        call(function)
    found = (torch.is_grad_enabled(), torch.get_default_dtype(), Path.cwd(), gc.isenabled())
    assert found == (gradients, dtype, folder, True)
    assert isinstance(caught.value.__cause__, ValueError) == fails


def test_no_part_of_a_changed_mode_reads_as_advice():
    """Behind the last "; " of the message, a student reads a hint"""
    with pytest.raises(LeftChanged) as caught:
        call(lambda: (torch.set_grad_enabled(False), gc.disable()))
    assert ";" not in str(caught.value)


def sort(values):
    values.sort()


def scale(tensor):
    tensor *= 2


@pytest.mark.parametrize(
    ("change", "argument"),
    [
        (sort, [3, 1, 2]),
        (lambda settings: settings.pop("lr"), {"lr": 1}),
        (lambda settings: settings.update(lr=2), {"lr": 1}),
        (lambda pair: pair[0].append(1), ([], 1)),
        (lambda groups: groups[0]["params"].clear(), [{"params": [1]}]),
        (scale, torch.ones(3)),
        (scale, torch.ones(4, 4).T[1]),
        (scale, torch.ones(4)[::4][None]),
        (scale, torch.ones(2, dtype=torch.complex64).conj()),
        (scale, np.ones((3, 2))[:, 1]),
        (lambda pair: pair[1].zero_(), [1, torch.ones(2, dtype=torch.bfloat16)]),
    ],
)
def test_changed_argument_is_found(change, argument):
    with pytest.raises(LeftChanged, match="arguments"):
        call(change, argument)


def test_tensor_that_autograd_marks_is_found():
    with pytest.raises(LeftChanged, match="gradient"):
        call(lambda tensor: tensor.requires_grad_().sum().backward(), torch.ones(2))


KNOWN = {"a": [1]}
WHOLE = torch.ones(3)


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (lambda values: values, ([1],)),
        (lambda settings: (0, settings["sizes"]), ({"sizes": [1]},)),
        (lambda: KNOWN, ()),
        (lambda: KNOWN["a"], ()),
        (lambda: [0, KNOWN["a"]], ()),
    ],
)
def test_result_is_new(function, arguments):
    world = World()

    def twice():
        call(function, *arguments, world=world)
        call(function, *arguments, world=world)

    with pytest.raises(LeftChanged, match="return a new one"):
        twice()


def test_what_is_refused_changes_nothing():
    def steps_then_refuses(tensor):
        scale(tensor)
        raise ValueError("step")

    world = World()
    for _ in range(3):  # at any call
        with pytest.raises(LeftChanged, match="arguments"):
            call(steps_then_refuses, torch.ones(2), target="optimizers.sgd_step", world=world)


@pytest.mark.parametrize(
    "function",
    [
        lambda tensor: tensor[0],
        lambda tensor: (tensor[1:].clone(), tensor),
        lambda _: (WHOLE[:2], WHOLE[1:]),
    ],
)
def test_memory_is_its_own(function):
    with pytest.raises(LeftChanged, match="in the memory of an argument or another result"):
        call(function, torch.ones(3), target="strides.gather")
    call(function, torch.ones(3))


def test_memory_is_its_own_also_if_it_came_by_name():
    with pytest.raises(LeftChanged, match="in the memory of an argument or another result"):
        World().call("strides.gather", lambda storage: storage[0], (), {"storage": torch.ones(3)})


def test_memory_of_an_array_is_its_own():
    with pytest.raises(LeftChanged, match="in the memory of an argument or another result"):
        call(torch.from_numpy, np.ones(3), target="data.get_batch")


def test_what_changes_nothing_passes():
    def careful(values, tensor, path):
        with torch.no_grad():
            torch.zeros(3).normal_(generator=torch.Generator().manual_seed(1))
        Path(path).write_text(str(sorted(values)))
        return tensor * 2

    call(careful, [3, 1], torch.ones(2), str(Path("told").resolve()))
    call(careful, [3, 1], torch.ones(0), "told")
    assert [path.name for path in Path().iterdir()] == ["told"]


def test_what_a_docstring_allows_and_an_error_alone_pass():
    call(torch.manual_seed, 3, target="seeding.seed_everything")
    call(scale, torch.ones(3), target="optimizers.sgd_step")
    with pytest.raises(KeyError, match="mine"):
        call(lambda: {}["mine"])


def test_wrapper_that_checks_types_may_draw():
    def wrapper():
        random.random()

    wrapper.__wrapped__ = lambda: None
    call(wrapper)


def test_thorough_looks_are_at_powers_of_two():
    world, seen = World(), []
    for number in range(1, 20):
        try:
            call(lambda: torch.rand(1), world=world)
        except LeftChanged:
            seen.append(number)
    assert seen == [1, 2, 4, 8, 16]


def test_a_save_that_makes_a_list_of_a_tuple_is_seen(tmp_path):
    """Compared as an answer of a test's is, the two would be the same"""

    def save_checkpoint(path, model, optimizer, step):
        for group in optimizer.param_groups:
            group["betas"] = list(group["betas"])

    student = SimpleNamespace(checkpoint=SimpleNamespace(save_checkpoint=save_checkpoint))
    with pytest.raises(LeftChanged, match=r"save_checkpoint leaves .* changed"):
        checkpoint.training_run(student, [], save=str(tmp_path / "file"))
