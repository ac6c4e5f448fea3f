"""Runs the tests on a device: finds the device, and stages the programs to compare with."""

from __future__ import annotations

import functools
import secrets
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from assignment.hardware import HardwareError
from assignment.hardware import load as load_hardware
from assignment.manifest import Exercise, Limits
from grader.faults import GraderFault, NotMeasured
from grader.intake.entries import SubmissionError
from grader.intake.stage import stage
from grader.races import device as devices
from grader.races.measures import MemoryBudgets, TimerTruth
from grader.races.on_device import DeviceTest, Parties
from grader.races.race import Race
from grader.races.statistic import RULES, RaceRules
from grader.results.record import Fit, Timing, Truth
from grader.supervisor.pool import WorkerPool
from grader.supervisor.zygote import Zygote

T = TypeVar("T", bound=DeviceTest)


class TimingRunner:
    """Tests one submission on the CUDA device, or else on the CPU.

    Args:
        zygote: forks the workers; those that use CUDA come from another zygote, started here.
        submission: as it was staged.
        solutions: the folder of the reference; `naive` in it holds the slow programs.
        memory_mib: the most that a worker may hold.
        rules: by kind of device.
    """

    def __init__(
        self,
        zygote: Zygote,
        submission: Path,
        package: str,
        solutions: Path,
        memory_mib: int,
        rules: Mapping[str, RaceRules] = RULES,
    ) -> None:
        self._zygote, self._package, self._memory_mib = zygote, package, memory_mib
        self._submission, self._solutions = submission, solutions
        self._rules = rules
        self._staged: list[Path] = []
        self._with_devices: Zygote | None = None

    @functools.cached_property
    def cuda(self) -> devices.Device | None:
        """The CUDA device, if there is one."""
        return devices.find()

    def device_of(self, exercise: Exercise) -> devices.Device | None:
        """The device for an exercise's tests; None if it needs one that this machine lacks."""
        return self.cuda or (None if "cuda" in exercise.needs else devices.Cpu())

    def race(self, *asked: Any) -> Timing:
        """Runs one race. Takes what `_test` takes, and raises what `Race.run` raises."""
        race = self._test(Race, *asked)
        race.floor = _floor(race)
        return race.run()

    def fit(self, *asked: Any) -> Fit:
        """Tries all memory budgets of one program; raises what `MemoryBudgets.run` raises."""
        return self._test(MemoryBudgets, *asked).run()

    def truth(self, *asked: Any) -> Truth:
        """Compares a timer with the judge's clock; raises what `TimerTruth.run` raises."""
        return self._test(TimerTruth, *asked).run()

    def _test(
        self,
        kind: type[T],
        program: str,
        exercise: Exercise,
        limits: Limits,
        rng: np.random.Generator,
    ) -> T:
        device = self.device_of(exercise)
        assert device is not None, "an exercise without its device is not run"
        return kind(program, self._parties, device, limits, rng, self._rules[device.kind])

    def close(self) -> None:
        """Ends the zygote that was started here, and removes what was staged."""
        if self._with_devices is not None:
            self._with_devices.close()
        for folder in self._staged:
            shutil.rmtree(folder)

    @functools.cached_property
    def _parties(self) -> Parties:
        return Parties(
            self._pool(self._submission),
            self._pool(self._stage(self._solutions)),
            self._pool(self._stage(self._solutions / "naive")),
        )

    def _pool(self, folder: Path) -> WorkerPool:
        return WorkerPool(self._source, folder, self._package, spare=False)

    @functools.cached_property
    def _source(self) -> Zygote:
        """The zygote that forks the workers of these tests.

        Only a zygote that has never touched CUDA can fork workers that use it, and only one that
        sees no device can preload training for all other workers.
        """
        if self.cuda is None:
            return self._zygote
        if isinstance(self.cuda, devices.Cuda):
            self.cuda.start_driver()
        self._with_devices = self._zygote.with_device(self.cuda.identity, self._memory_mib)
        return self._with_devices

    def _stage(self, solutions: Path) -> Path:
        """Stages the reference's or the naive package where no submission's worker can read it."""
        folder = self._zygote.trusted / secrets.token_hex(16)
        modules = tuple(p.stem for p in (solutions / self._package).glob("*.py"))
        try:
            stage(solutions / self._package, folder, self._package, modules)
        except SubmissionError as error:
            raise GraderFault(f"a race needs the programs in {solutions}: {error}") from error
        self._staged.append(folder)
        return folder


def _floor(race: Race) -> float:
    """The least seconds by the device's data sheet (else NotMeasured is raised); 0 on a CPU."""
    if race.device.kind == "cpu":
        return 0.0
    work = race.kind.work(race.sizes)
    hardware = load_hardware()
    try:
        found = hardware.reported(race.device.name)
    except HardwareError as error:
        raise NotMeasured(str(error)) from error
    return max(work.flops / max(found.peak_flops.values()), work.moved / found.bandwidth)
