"""Runs the tests on a device: finds the device, and stages the programs to compare with."""

from __future__ import annotations

import functools
import secrets
import shutil
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from assignment.manifest import Exercise, Limits
from grader.faults import GraderFault
from grader.intake.entries import SubmissionError
from grader.intake.stage import stage
from grader.races import device as devices
from grader.races.on_device import DeviceTest, Parties
from grader.races.statistic import RULES, RaceRules
from grader.supervisor.pool import WorkerPool
from grader.supervisor.zygote import Zygote


class TimingRunner:
    """Tests one submission on the CUDA device, or else on the CPU.

    Workers that use a CUDA device come from a second zygote, which is started here.
    """

    def __init__(
        self,
        zygote: Zygote,
        submission: Path,  # as it was staged
        package: str,
        solutions: Path,  # the folder of the reference; `naive` in it holds the slow programs
        memory_mib: int,  # the most that a worker may hold
        rules: Mapping[str, RaceRules] = RULES,  # by kind of device
    ) -> None:
        self._zygote, self._package, self._memory_mib = zygote, package, memory_mib
        self._submission, self._solutions = submission, solutions
        self._rules = rules
        self._staged: list[Path] = []
        self._cuda_zygote: Zygote | None = None

    @functools.cached_property
    def cuda(self) -> devices.Device | None:
        """The CUDA device, if there is one."""
        return devices.find()

    def device_of(self, exercise: Exercise) -> devices.Device | None:
        """The device for an exercise's tests; None if it needs one that this machine lacks."""
        return self.cuda or (None if "cuda" in exercise.needs else devices.Cpu())

    def test(
        self,
        kind: type[DeviceTest],  # Race, MemoryBudgets or TimerTruth
        program: str,
        exercise: Exercise,
        limits: Limits,
        rng: np.random.Generator,
    ) -> DeviceTest:
        """A test of one program, on the exercise's device; `run` runs it."""
        device = self.device_of(exercise)
        assert device is not None, "an exercise without its device is not run"
        return kind(program, self._parties, device, limits, rng, self._rules[device.kind])

    def close(self) -> None:
        """Ends the zygote that was started here, and removes what was staged."""
        if self._cuda_zygote is not None:
            self._cuda_zygote.close()
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
        return WorkerPool(self._workers_zygote, folder, self._package, spare=False)

    @functools.cached_property
    def _workers_zygote(self) -> Zygote:
        """The zygote that forks the workers of these tests: a second one if they use CUDA.

        Only a zygote that has never touched CUDA can fork workers that use it, and only one that
        sees no device can preload training for all other workers.
        """
        if self.cuda is None:
            return self._zygote
        if isinstance(self.cuda, devices.Cuda):
            self.cuda.start_driver()
        self._cuda_zygote = self._zygote.with_device(self.cuda.identity, self._memory_mib)
        return self._cuda_zygote

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
