"""Timed programs: chains of dependent work that call a submission's functions.

A program is prepared before it is timed: its inputs are created on the device, and it runs a few
times to warm up. Then one run is timed, from a start state drawn only then. Step k + 1 needs the
result of step k, so nothing can be computed ahead, skipped or replayed. A run returns its final
state, in host memory: a large one as a sketch, so that no clock measures how long a copy takes.

The same code runs on a CPU, with small sizes.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

import torch
from torch.nn import functional

WARM_UPS = 2
SKETCH = 2**18  # elements that a run returns of each tensor at most


class Work(NamedTuple):
    """FLOPs, bytes that the device's memory moves, and bytes that come from the host."""

    flops: float = 0.0
    moved: float = 0.0
    from_host: float = 0.0


class Program(ABC):
    """A program on one device; a subclass names it: `class Products(Program, name="products")`.

    `sizes` is what `sizes_on` returned; `seed` draws the inputs; inputs and states have `dtype`.
    """

    name: ClassVar[str]

    def __init_subclass__(cls, name: str) -> None:
        cls.name = name
        _PROGRAMS[name] = cls

    def __init__(
        self,
        device: torch.device,
        sizes: Mapping[str, int],
        seed: int,
        dtype: torch.dtype = torch.float32,
    ) -> None:
        self.device, self.sizes, self.dtype = device, sizes, dtype
        # On the device: one core takes many seconds for what a device draws in milliseconds.
        self.generator = torch.Generator(device).manual_seed(seed % 2**63)
        self.make()

    def normal(self, *shape: int) -> torch.Tensor:
        """Normally distributed inputs; the same numbers for every dtype."""
        return torch.randn(shape, generator=self.generator, device=self.device).to(self.dtype)

    @staticmethod
    def start_generator(start: int) -> torch.Generator:
        """The generator that draws a run's start state: `start` is its seed."""
        return torch.Generator().manual_seed(start % 2**63)

    @staticmethod
    @abstractmethod
    def sizes_on(kind: str, memory: int) -> dict[str, int]:
        """The sizes for a kind of device, "cpu" or "cuda", with `memory` bytes."""

    @abstractmethod
    def make(self) -> None:
        """Makes the inputs."""

    @abstractmethod
    def run(self, student: Any, start: int) -> list[torch.Tensor]:
        """Does all of the work, from the start state of seed `start`; returns the final state."""

    @staticmethod
    def budgets(sizes: Mapping[str, int]) -> tuple[int, ...]:
        """Memory limits in bytes to run it under, largest first; () if memory does not matter."""
        return ()

    def repeat(self, calls: int, start: int) -> list[torch.Tensor]:
        """Calls the function that a timer is tested on, `calls` times and without student code."""
        raise NotImplementedError(f"{self.name} has no timed function to repeat")

    @staticmethod
    def exact_dtype(kind: str) -> torch.dtype:
        """The dtype of its exact result: float64 is very slow on many accelerators."""
        return torch.float64 if kind == "cpu" else torch.float32

    @staticmethod
    def work(sizes: Mapping[str, int]) -> Work:
        """The least work that any implementation needs; 0 where no bound is known."""
        return Work()


_PROGRAMS: dict[str, type[Program]] = {}
_prepared: dict[str, Program] = {}
_ballast: list[torch.Tensor] = []  # of `fill_memory`; never freed


def find(name: str) -> type[Program]:
    """The program of this name; raises LookupError if there is none."""
    load_all()
    try:
        return _PROGRAMS[name]
    except KeyError:
        raise LookupError(f"no program is called {name!r}: {', '.join(_PROGRAMS)}") from None


@functools.cache  # it lists a folder
def load_all() -> None:
    """Imports every module of this package, so that each program is registered."""
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")


# --- called by the judge, in a worker ------------------------------------------------------------


def prepare(
    student: Any,
    name: str,
    device: str,
    sizes: Mapping[str, int],
    seed: int,
    warm_ups: int = WARM_UPS,
) -> None:
    """Makes a program's inputs and warms it up, from negative starts: no timed run has these."""
    where = torch.device(device)
    _prepared[name] = program = find(name)(where, sizes, seed)
    for i in range(warm_ups):
        program.run(student, -1 - i)
    if where.type == "cuda":
        torch.cuda.synchronize(where)


def run(student: Any, name: str, start: int) -> list[torch.Tensor]:
    """Runs a prepared program once; returns its final state, in host memory."""
    return sketches(_prepared[name].run(student, start), start)


def repeat(student: Any, name: str, calls: int, start: int) -> list[torch.Tensor]:
    """Repeats a prepared program's timed function; returns part of its state, in host memory."""
    return [tensor.cpu() for tensor in _prepared[name].repeat(calls, start)]


def fill_memory(student: Any, device: str, leave: int) -> int:
    """Allocates all free memory of a CUDA device but `leave` bytes, for good; returns the size."""
    free, _ = torch.cuda.mem_get_info(torch.device(device))
    _ballast.append(torch.empty(max(0, free - leave), dtype=torch.uint8, device=device))
    return _ballast[-1].numel()


def exact(
    student: Any, name: str, device: str, sizes: Mapping[str, int], seed: int, start: int
) -> list[torch.Tensor]:
    """The result of `run` in `exact_dtype`: a race measures rounding errors against it.

    `student` is the naive version here, whose functions keep the dtype of their inputs.
    """
    program = find(name)
    made = program(torch.device(device), sizes, seed, program.exact_dtype(device))
    return sketches(made.run(student, start), start)


def sketches(state: list[torch.Tensor], start: int) -> list[torch.Tensor]:
    """The sketch of each tensor of a final state, in host memory."""
    generator = Program.start_generator(start)
    return [sketch(tensor, generator).cpu() for tensor in state]


def sketch(state: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """A random projection of a large float tensor to SKETCH elements; any other tensor unchanged.

    Each element of the state changes one of the sketch's. Their relative errors agree to within a
    thousandth. It takes one pass over the state. Computing a sketch without the state would mean
    pushing the random numbers back through the program's last nonlinear function.
    """
    if state.numel() <= SKETCH or not state.is_floating_point():
        return state
    length = -(-state.numel() // SKETCH)  # of the state, for each element of the sketch
    flat = functional.pad(state.flatten(), (0, -state.numel() % length))
    probe = torch.randn(length, generator=generator).to(state)
    # Not by a matrix product, whose precision a submission may have lowered.
    return (flat.view(-1, length) * probe).sum(1)


# --- used by the judge itself --------------------------------------------------------------------


def errors(found: list[torch.Tensor], exactly: list[torch.Tensor]) -> list[float]:
    """The relative error of each tensor: the norm of the difference over that of the exact one."""
    return [
        float((ours.double() - truth.double()).norm() / truth.double().norm().clamp_min(1e-300))
        for ours, truth in zip(found, exactly, strict=True)
    ]


def unacceptable(found: Any, reference: list[torch.Tensor], allowed: list[float]) -> str:
    """Why a final state is not accepted, or "".

    The number of tensors, shapes and dtypes must be those of the reference's final state, integers
    equal, and floats finite, with at most the allowed relative error of each tensor, by the norm.
    """
    if not isinstance(found, list) or len(found) != len(reference):
        return f"expected {len(reference)} tensors"
    for i, (ours, theirs) in enumerate(zip(found, reference, strict=True)):
        if not isinstance(ours, torch.Tensor) or ours.shape != theirs.shape:
            return f"tensor {i} does not have the reference's shape"
        if ours.dtype is not theirs.dtype:
            return f"tensor {i} is {ours.dtype}, expected {theirs.dtype}"
        if not ours.is_floating_point():
            if not torch.equal(ours, theirs):
                return f"tensor {i} is not equal to the reference's"
            continue
        if not bool(torch.isfinite(ours).all()):
            return f"tensor {i} is not finite"
        (error,) = errors([ours], [theirs])
        if not error <= allowed[i]:
            return f"tensor {i} has a relative error of {error:.3g}; allowed is {allowed[i]:.3g}"
    return ""
