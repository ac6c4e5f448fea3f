"""The preflight check of a submission: its files are compiled, and its modules imported once.

No hidden data has been near a worker by then, so students may read what an import reports.
"""

from __future__ import annotations

import contextlib
import importlib.util
import inspect
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from assignment.hooks import seed_of
from assignment.manifest import Manifest
from grader.judge.failure import Killed, SubmissionFailure
from grader.judge.pool import WorkerPool
from grader.judge.worker import Worker
from grader.results.causes import WORDS, Cause
from grader.results.record import ExerciseScore, ModuleReport


@dataclass
class Preflight:
    """What importing the modules showed.

    Attributes:
        reports: for the student, one for each module.
        broken: the modules that cannot be imported, with the cause.
        not_started: the functions that are still the handout's stubs, as `module.name`.
        probes: what a worker tried in its lockdown, and the error that each attempt met.
    """

    reports: list[ModuleReport] = field(default_factory=list)
    broken: dict[str, Cause] = field(default_factory=dict)
    not_started: frozenset[str] = frozenset()
    probes: dict[str, str] = field(default_factory=dict)

    def needed(self, manifest: Manifest, scores: Iterable[ExerciseScore]) -> list[ModuleReport]:
        """The reports, without missing modules that no measured exercise needs."""
        measured = {score.id for score in scores if score.measured}
        modules = {m for exercise in manifest if exercise.id in measured for m in exercise.modules}
        return [
            report
            for report in self.reports
            if report.module in modules or self.broken.get(report.module) is not Cause.MISSING
        ]


def compile_ahead(pool: WorkerPool, manifest: Manifest) -> None:
    """Writes each file's bytecode beside it, so that no later worker has to compile it.

    A worker compiles, and runs no line of the submission, so the bytecode is what the file says.
    A file that cannot be compiled in time is left to its import, which reports why.
    """
    folder = pool.submission
    files = [str(file.relative_to(folder)) for file in sorted(folder.rglob("*.py"))]
    check = _ImportCheck(pool, manifest)
    with check.worker(seed=0) as worker, contextlib.suppress(SubmissionFailure):
        with check.limit() as seconds:
            compiled = worker.compile(files, seconds)
        for name, code in compiled.items():
            place = Path(importlib.util.cache_from_source(str(folder / name)))
            place.parent.mkdir(mode=0o755, exist_ok=True)
            place.write_bytes(code)
            place.chmod(0o644)


def preflight(
    pool: WorkerPool, manifest: Manifest, only: Collection[str], nonce: str = ""
) -> Preflight:
    """Imports each module in a worker of its own.

    Args:
        pool: starts the workers.
        manifest: the assignment.
        only: exercises whose modules are imported; all if empty.
        nonce: seeds what a module draws while it is imported.
    """
    check = _ImportCheck(pool, manifest, nonce)
    found = Preflight()
    wanted = [exercise for exercise in manifest if not only or exercise.id in only]
    stubs: set[str] = set()
    for module in dict.fromkeys(module for exercise in wanted for module in exercise.modules):
        try:
            try:
                answer = check.module(module, found)
            except Killed:
                answer = check.module(module, found)
        except SubmissionFailure as failure:
            found.broken[module] = Cause.IMPORT_FAILED
            message = f"while {module}.py was imported: {failure.detail}"
            found.reports.append(ModuleReport(module=module, ok=False, message=message))
            continue
        if isinstance(parameters := answer.get("result"), dict):
            message = _signatures(manifest, module, parameters)
            found.reports.append(ModuleReport(module=module, ok=True, message=message))
            stubs.update(f"{module}.{name}" for name in answer.get("stubs", ()))
            continue
        missing = answer.get("failed") == "missing"
        found.broken[module] = Cause.MISSING if missing else Cause.IMPORT_FAILED
        found.reports.append(import_report(manifest.package, module, answer, missing))
    if stubs:
        found.not_started = frozenset(stubs) & check.stubs_of_all(found)
    return found


class _ImportCheck:
    """Imports modules of one submission, in workers that end afterwards."""

    def __init__(self, pool: WorkerPool, manifest: Manifest, nonce: str = "") -> None:
        self._pool, self._manifest, self._nonce = pool, manifest, nonce

    def module(self, module: str, found: Preflight) -> dict[str, Any]:
        """Imports one module in a fresh worker; returns that worker's report."""
        with self.worker(seed_of(self._nonce, "import", module)) as worker:
            found.probes = worker.probes
            return self._ask(worker, module)

    def stubs_of_all(self, found: Preflight) -> frozenset[str]:
        """The functions that are still stubs once all modules are imported.

        A module may rebind another module's functions.
        """
        modules = [report.module for report in found.reports if report.ok]
        stubs: dict[str, list[str]] = {}
        try:
            with self.worker(seed_of(self._nonce, "import")) as worker:
                for module in [*modules, *modules]:  # the last may rebind what is in the first
                    stubs[module] = self._ask(worker, module).get("stubs", [])
        except SubmissionFailure:  # together the modules behave differently: the tests will show
            return frozenset()
        return frozenset(f"{module}.{name}" for module, names in stubs.items() for name in names)

    def _ask(self, worker: Worker, module: str) -> dict[str, Any]:
        with self.limit() as seconds:
            return worker.import_module(module, list(self._manifest.functions_of(module)), seconds)

    @contextlib.contextmanager
    def limit(self) -> Iterator[float]:
        """The seconds that one request may take. One that takes longer draws on the budget."""
        budget, usual = self._pool.budget, self._manifest.limits.seconds
        try:
            yield budget.limit("", usual)
        except SubmissionFailure as failure:
            if failure.cause is Cause.TIMEOUT:
                budget.draw(usual)
            raise

    @contextlib.contextmanager
    def worker(self, seed: int) -> Iterator[Worker]:
        """A worker that may import the submission; it is ended afterwards."""
        worker = self._pool.start(self._manifest.limits, seed)
        try:
            yield worker
        finally:
            worker.kill()


def _signatures(manifest: Manifest, module: str, found: Mapping[object, object]) -> str:
    """Names the functions of a module that are missing or take other parameters than the stub."""
    reference = import_module(f"solutions.{manifest.package}.{module}")
    lines = []
    for name in manifest.functions_of(module):
        expected = list(inspect.signature(getattr(reference, name)).parameters)
        got = found.get(name)
        if not isinstance(got, list):
            lines.append(f"{name} is missing, or cannot be called")
        elif got != expected:
            shown = ", ".join(str(p)[:50] for p in got[:20])
            lines.append(f"{name}: expected parameters ({', '.join(expected)}), got ({shown})")
    return "\n".join(lines)


def import_report(
    package: str, module: str, answer: dict[str, object], missing: bool
) -> ModuleReport:
    """A failed import in its own words: it has seen no hidden data yet."""
    if missing:
        return ModuleReport(module=module, ok=False, message=f"{module}.py: {WORDS[Cause.MISSING]}")
    line = answer.get("line")
    file = str(answer.get("file") or "")
    _, found, inside = file.rpartition(f"/{package}/")  # the worker may see it below another folder
    return ModuleReport(
        module=module,
        ok=False,
        message=f"{answer.get('type')}: {answer.get('message')}"[:2000],
        file=(f"{package}/{inside}" if found else file)[:200],
        line=line if isinstance(line, int) and 0 <= line < 10**7 else 0,
    )
