"""The programs that are raced: what every one of them must hold, and what is accepted of them."""

from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch.nn import functional
from torch.overrides import TorchFunctionMode

from assignment import programs
from assignment.calls.implementation import Package

REFERENCE = Package("solutions.resource_accounting")
NAIVE = Package("solutions.naive.resource_accounting")
RACED = ("adamw", "batches", "matmul_chain", "training")
GIBIBYTE = 2**30


def made(name, seed=1, dtype=torch.float32):
    kind = programs.find(name)
    return kind(torch.device("cpu"), kind.sizes_on("cpu", 0), seed, dtype)


@pytest.mark.parametrize("name", RACED)
def test_naive_and_reference_agree(name):
    exactly = made(name, dtype=torch.float64).run(NAIVE, 7)
    for student in (REFERENCE, NAIVE):
        assert max(programs.errors(made(name).run(student, 7), exactly)) < 1e-3


@pytest.mark.parametrize("name", RACED)
def test_result_follows_from_seed_and_start_alone(name):
    program = made(name)
    first = program.run(REFERENCE, 7)
    other = program.run(REFERENCE, 8)
    again = program.run(REFERENCE, 7)  # whatever ran before on the same inputs
    assert all(map(torch.equal, first, again))
    assert all(map(torch.equal, first, made(name).run(REFERENCE, 7)))
    for different in (other, made(name, seed=2).run(REFERENCE, 7)):
        assert programs.unacceptable(different, first, [1e-3] * len(first))


class Keeps:
    """Keeps on the device what it once moved there, by its address."""

    def __init__(self):
        self.kept = {}

    def prefetch(self, batches, device):
        for (batch,) in batches:
            yield (self.kept.setdefault(batch.data_ptr(), batch.to(device, copy=True)),)


@pytest.mark.parametrize(("rounds", "stale"), [(1, False), (2, True)])
def test_batches_of_an_earlier_round_are_stale(rounds, stale):
    program, right = made("batches"), made("batches")
    program.sizes = right.sizes = {**program.sizes, "rounds": rounds}
    found = program.run(SimpleNamespace(device=Keeps()), 7)
    assert bool(programs.unacceptable(found, right.run(REFERENCE, 7), [1e-3, 0.0])) == stale


def test_multiplying_the_weights_ahead_gives_another_result():
    """A row's scale passes through a product; a kink between two products does not"""
    ahead = SimpleNamespace(
        performance=SimpleNamespace(
            matmul_chain=lambda x, weights: functional.rms_norm(
                x @ torch.linalg.multi_dot(weights), x.shape[-1:]
            )
        )
    )
    (right,) = made("matmul_chain").run(REFERENCE, 7)
    (error,) = programs.errors(made("matmul_chain").run(ahead, 7), [right])
    assert error > 0.1  # far more than a chain in bfloat16 may have


@pytest.mark.parametrize("name", RACED)
def test_sizes_and_work_fit_the_device(name):
    kind = programs.find(name)
    small, large = (kind.sizes_on("cuda", n * GIBIBYTE) for n in (8, 80))
    assert all(small[size] <= large[size] for size in large)
    work = kind.work(large)
    assert work.moved > 0
    assert work.flops > kind.work(kind.sizes_on("cpu", 0)).flops > 0


def test_unknown_program_is_an_error():
    with pytest.raises(LookupError, match="no program is called 'none': "):
        programs.find("none")


ONE = torch.ones(2, 2)


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        (None, "expected 2 tensors"),
        ([ONE], "expected 2 tensors"),
        ((ONE, torch.tensor(3)), "expected 2 tensors"),
        ([ONE[:1], torch.tensor(3)], "tensor 0 does not have the reference's shape"),
        ([1.0, torch.tensor(3)], "tensor 0 does not have the reference's shape"),
        ([ONE.double(), torch.tensor(3)], "tensor 0 is torch.float64, expected torch.float32"),
        ([ONE * float("nan"), torch.tensor(3)], "tensor 0 is not finite"),
        ([ONE * float("inf"), torch.tensor(3)], "tensor 0 is not finite"),
        ([ONE * 1.02, torch.tensor(3)], "tensor 0 has a relative error of 0.02"),
        ([ONE, torch.tensor(4)], "tensor 1 is not equal to the reference's"),
        ([ONE * 1.005, torch.tensor(3)], ""),
    ],
)
def test_acceptance(found, reason):
    said = programs.unacceptable(found, [ONE, torch.tensor(3)], [0.01, 0.0])
    assert said.startswith(reason)
    assert bool(said) == bool(reason)


class OnAStandIn(TorchFunctionMode):
    """Makes on the CPU what is asked of a CUDA device; notes where numbers are drawn, and moves."""

    def __init__(self) -> None:
        super().__init__()
        self.drawn: list[Any] = []
        self.moved: list[int] = []

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = dict(kwargs or {})
        if func in (torch.randn, torch.rand, torch.randint):
            self.drawn.append(str(kwargs.get("device", "cpu")))
        if func is torch.Tensor.to:
            self.moved.extend(args[0].numel() for to in args[1:] if str(to) == "cuda")
            args = tuple("cpu" if str(to) == "cuda" else to for to in args)
        if str(kwargs.get("device")) == "cuda":
            kwargs["device"] = "cpu"
        kwargs.pop("pin_memory", None)
        return func(*args, **kwargs)


@pytest.mark.parametrize("name", [*RACED, "recompute", "timer"])
def test_inputs_are_drawn_on_the_device(name, monkeypatch):
    """One core once drew them for seven to ten seconds, in each of some hundred workers"""
    kind, generators, real = programs.find(name), [], torch.Generator
    monkeypatch.setattr(
        torch, "Generator", lambda device="cpu": generators.append(str(device)) or real()
    )
    monkeypatch.setattr(torch.Tensor, "pin_memory", lambda tensor: tensor)  # of `batches`
    with OnAStandIn() as stand_in:
        kind(torch.device("cuda"), kind.sizes_on("cpu", 0), 1)
    assert set(generators) == set(stand_in.drawn) == {"cuda"}
    assert stand_in.moved == []


def test_run_answers_with_a_sketch(monkeypatch):
    """Not with its whole state, whose copy a race would time"""
    monkeypatch.setattr(programs, "SKETCH", 100)
    sizes = programs.find("matmul_chain").sizes_on("cpu", 0)
    programs.prepare(REFERENCE, "matmul_chain", "cpu", sizes, 1, warm_ups=0)
    (answer,) = programs.run(REFERENCE, "matmul_chain", 7)
    assert answer.numel() <= 100 < sizes["n"] ** 2
    state = [torch.ones(sizes["n"])]  # by numbers that are drawn only at "go"
    assert not torch.equal(programs.sketches(state, 7)[0], programs.sketches(state, 8)[0])


def sketched(state, start=7):
    return programs.sketch(state, programs.Program.start_generator(start))


@pytest.mark.parametrize("size", [(1024, 1024), (programs.SKETCH + 1,), (3, 1000, 999)])
def test_sketch_is_small_and_has_the_error_of_its_state(size):
    state = torch.randn(size, dtype=torch.float64)
    right = sketched(state)
    assert right.numel() <= programs.SKETCH
    for share in (0.3, 1e-3):
        near = state + share * torch.randn_like(state)
        (exactly,) = programs.errors([near], [state])
        (error,) = programs.errors([sketched(near)], [right])
        assert error == pytest.approx(exactly, rel=0.02)


def test_every_element_changes_the_sketch_and_every_start_draws_another():
    """Of large floats; small states and integers are returned whole"""
    state = torch.ones(programs.SKETCH * 3, dtype=torch.float64)
    right = sketched(state)
    for place in (0, 1, 2, -1, programs.SKETCH):
        other = state.clone()
        other[place] += 1.0
        assert (sketched(other) != right).sum() == 1
    assert (sketched(state, 8) != right).all()
    for whole in (torch.randn(4, 4), torch.arange(programs.SKETCH + 1)):
        assert torch.equal(sketched(whole), whole)


def test_every_answer_of_a_race_on_a_device_fits_into_a_frame(monkeypatch):
    """Once the products' answer was 64 bytes too long, after all of the work"""
    large = programs.find("matmul_chain").sizes_on("cuda", 80 * GIBIBYTE)
    state = torch.zeros(1).expand(large["n"], large["n"])
    assert sketched(state).nbytes <= 2**20
