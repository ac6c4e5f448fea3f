"""Where races are run: the devices of this machine, and the programs that are raced against."""

from __future__ import annotations

import functools
import secrets
import shutil
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from assignment.hardware import load as load_hardware
from assignment.manifest import Exercise, Limits
from grader.judge.entries import SubmissionError
from grader.judge.failure import GraderFault
from grader.judge.proxy import Workers
from grader.judge.stage import stage
from grader.judge.timing import device as devices
from grader.judge.timing.budget import Budgets
from grader.judge.timing.contest import Contest, Entrants, NotMeasured
from grader.judge.timing.race import Race
from grader.judge.timing.truth import Truth
from grader.judge.zygote import Zygote
from grader.results.record import Fit, Timing
from solutions.resource_accounting.roofline import find_accelerator

C = TypeVar("C", bound=Contest)


class Track:
    """Races one submission, on the CUDA device or else on the CPU.

    Args:
        zygote: where workers come from; those that use CUDA come from another, started here.
        submission: the staged submission.
        package: its name.
        solutions: the folder of the reference; `naive` in it holds the slow programs.
        memory_mib: what a worker may hold, at most.
    """

    def __init__(
        self, zygote: Zygote, submission: Path, package: str, solutions: Path, memory_mib: int
    ) -> None:
        self._zygote, self._package, self._memory_mib = zygote, package, memory_mib
        self._submission, self._solutions = submission, solutions
        self._staged: list[Path] = []
        self._with_devices: Zygote | None = None

    @functools.cached_property
    def cuda(self) -> devices.Device | None:
        """The CUDA device, if there is one."""
        return devices.find()

    def device_of(self, exercise: Exercise) -> devices.Device | None:
        """Where an exercise is raced; None where it needs a device that is not there."""
        return self.cuda or (None if "cuda" in exercise.needs else devices.find("cpu"))

    def race(self, *asked: Any) -> Timing:
        """One race, to its end; takes what `_contest` does and raises what `Race.run` raises."""
        race = self._contest(Race, *asked)
        race.floor = _floor(race)
        return race.run()

    def fit(self, *asked: Any) -> Fit:
        """All budgets of one program, likewise; raises what `Budgets.run` raises."""
        return self._contest(Budgets, *asked).run()

    def truth(self, *asked: Any) -> None:
        """A timer against the judge's clock, likewise; raises what `Truth.run` raises."""
        self._contest(Truth, *asked).run()

    def _contest(
        self,
        kind: type[C],
        program: str,
        exercise: Exercise,
        limits: Limits,
        rng: np.random.Generator,
    ) -> C:
        device = self.device_of(exercise)
        assert device is not None, "an exercise without its device is not run"
        return kind(program, self._entrants, device, limits, rng)

    def close(self) -> None:
        """Ends the zygote that was started here, and removes what was staged."""
        if self._with_devices is not None:
            self._with_devices.close()
        for folder in self._staged:
            shutil.rmtree(folder)

    @functools.cached_property
    def _entrants(self) -> Entrants:
        return Entrants(
            self._workers(self._submission),
            self._workers(self._stage(self._solutions)),
            self._workers(self._stage(self._solutions / "naive")),
        )

    def _workers(self, folder: Path) -> Workers:
        return Workers(self._source, folder, self._package, spare=False)

    @functools.cached_property
    def _source(self) -> Zygote:
        """The zygote of races. Only one that has never touched CUDA can fork workers that use it,
        and only one that sees no device can rehearse training for all others."""
        if self.cuda is None:
            return self._zygote
        self._with_devices = self._zygote.with_devices(self._memory_mib)
        return self._with_devices

    def _stage(self, solutions: Path) -> Path:
        """Stages programs of ours under a name that no submission can guess, in any tier."""
        folder = self._zygote.folder / "submissions" / secrets.token_hex(16)
        modules = tuple(p.stem for p in (solutions / self._package).glob("*.py"))
        try:
            stage(solutions / self._package, folder, self._package, modules)
        except SubmissionError as error:
            raise GraderFault(f"a race needs the programs in {solutions}: {error}") from error
        self._staged.append(folder)
        return folder


def _floor(race: Race) -> float:
    """Seconds that no program can go below by the device's data sheet; 0 on a CPU."""
    if race.device.kind == "cpu":
        return 0.0
    flops, moved = race.kind.work(race.sizes)
    hardware = load_hardware()
    try:
        found = hardware[find_accelerator(race.device.name, hardware.plain())]
    except LookupError as error:
        raise NotMeasured(str(error)) from error
    return max(flops / max(found.peak_flops.values()), moved / found.bandwidth)
