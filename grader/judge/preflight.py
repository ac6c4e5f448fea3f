"""The preflight check of a submission: compiles its files, and imports each module once.

No worker has received hidden data by then, so students may read everything that an import reports.
"""

from __future__ import annotations

import contextlib
import importlib.util
import inspect
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path

from assignment.calls import imports
from assignment.hooks import seed_of
from assignment.manifest import Manifest
from grader.causes import Cause
from grader.faults import Killed, SubmissionFailure
from grader.results.record import ExerciseScore, ModuleReport
from grader.supervisor.pool import WorkerPool
from grader.supervisor.worker import Worker
from grader.wire.claims import ImportReport


@dataclass
class Preflight:
    """The findings of the import of all modules."""

    reports: list[ModuleReport] = field(default_factory=list)  # for the student, one for a module
    changes: dict[str, list[imports.Change]] = field(default_factory=dict)  # left, by file
    broken: dict[str, Cause] = field(default_factory=dict)  # why modules cannot be imported
    not_started: frozenset[str] = frozenset()  # still the handout's stubs, as `module.name`
    probes: dict[str, str] = field(default_factory=dict)  # of a worker: `Worker.probes`

    def reports_to_show(
        self, manifest: Manifest, scores: Iterable[ExerciseScore]
    ) -> list[ModuleReport]:
        """All reports, except of missing modules that no measured exercise needs.

        Then one of each file whose import has left something changed.
        """
        measured = {score.id for score in scores if score.measured}
        modules = {m for exercise in manifest if exercise.id in measured for m in exercise.modules}
        return [
            report
            for report in self.reports
            if report.module in modules or self.broken.get(report.module) is not Cause.MISSING
        ] + [_changes_report(file, changes) for file, changes in self.changes.items()]


def compile_ahead(pool: WorkerPool, manifest: Manifest) -> None:
    """Writes each file's bytecode beside it, so that later workers need not compile it.

    A worker compiles without running any line of the submission, so the bytecode matches the file.
    Files that do not compile, or not in time, are skipped; their import reports why.
    """
    folder = pool.submission
    files = [str(file.relative_to(folder)) for file in sorted(folder.rglob("*.py"))]
    check = _ImportCheck(pool, manifest)
    with check.worker(seed=0) as worker, contextlib.suppress(SubmissionFailure):
        with check.limit(worker) as seconds:
            compiled = worker.compile(files, seconds)
        for name, code in compiled.items():
            cached = Path(importlib.util.cache_from_source(str(folder / name)))
            cached.parent.mkdir(mode=0o755, exist_ok=True)
            cached.write_bytes(code)
            cached.chmod(0o644)


def preflight(
    pool: WorkerPool, manifest: Manifest, only: Collection[str], nonce: str = ""
) -> Preflight:
    """Imports each module of the exercises `only`, or of all, in a separate worker.

    `nonce` seeds the random numbers that a module draws meanwhile.
    """
    check = _ImportCheck(pool, manifest, nonce)
    found = Preflight()
    wanted = [exercise for exercise in manifest if not only or exercise.id in only]
    stubs: set[str] = set()
    for module in dict.fromkeys(module for exercise in wanted for module in exercise.modules):
        try:
            try:
                report = check.import_alone(module, found)
            except Killed:
                report = check.import_alone(module, found)
        except SubmissionFailure as failure:
            found.broken[module] = Cause.IMPORT_FAILED
            message = f"while {module}.py was imported: {failure.detail}"
            found.reports.append(ModuleReport(module=module, ok=False, message=message))
            continue
        for file, changes in imports.by_file(report.changes).items():
            with contextlib.suppress(OSError):  # a worker may name any, however long
                if (pool.submission / file).is_file():
                    found.changes.setdefault(file, changes)  # a module of several others, once
        if report.parameters is not None:
            message = _signature_problems(manifest, module, report.parameters)
            found.reports.append(ModuleReport(module=module, ok=True, message=message))
            stubs.update(f"{module}.{name}" for name in report.stubs)
            continue
        missing = report.failed == Cause.MISSING.value
        found.broken[module] = Cause.MISSING if missing else Cause.IMPORT_FAILED
        found.reports.append(failed_import_report(manifest.package, module, report, missing))
    if stubs:
        found.not_started = frozenset(stubs) & check.stubs_after_all_imports(found)
    return found


class _ImportCheck:
    """Imports modules of one submission, in workers that are ended afterwards."""

    def __init__(self, pool: WorkerPool, manifest: Manifest, nonce: str = "") -> None:
        self._pool, self._manifest, self._nonce = pool, manifest, nonce

    def import_alone(self, module: str, found: Preflight) -> ImportReport:
        """Imports one module in a fresh worker; returns that worker's report."""
        with self.worker(seed_of(self._nonce, "import", module)) as worker:
            found.probes = worker.probes
            return self._import_in(worker, module)

    def stubs_after_all_imports(self, found: Preflight) -> frozenset[str]:
        """The functions that are still stubs after all modules were imported in one worker.

        A module may rebind another module's functions. Empty if these imports fail together.
        """
        modules = [report.module for report in found.reports if report.ok]
        stubs: dict[str, Sequence[str]] = {}
        try:
            with self.worker(seed_of(self._nonce, "import")) as worker:
                # Twice, since a later module may rebind functions of an earlier one.
                for module in [*modules, *modules]:
                    stubs[module] = self._import_in(worker, module).stubs
        except SubmissionFailure:  # fails only together with others: leave it to the tests
            return frozenset()
        return frozenset(f"{module}.{name}" for module, names in stubs.items() for name in names)

    def _import_in(self, worker: Worker, module: str) -> ImportReport:
        with self.limit(worker) as seconds:
            return worker.import_module(module, list(self._manifest.functions_of(module)), seconds)

    @contextlib.contextmanager
    def limit(self, worker: Worker) -> Iterator[float]:
        """The seconds that one request may take; a long one inside draws on the budget."""
        budget, usual, before = self._pool.budget, self._manifest.limits.seconds, worker.charged
        try:
            yield budget.import_limit(usual)
        finally:
            budget.charge_import(worker.charged - before, usual)

    def worker(self, seed: int) -> contextlib.AbstractContextManager[Worker]:
        """A worker that may import the submission."""
        return self._pool.worker(self._manifest.limits, seed)


def _signature_problems(manifest: Manifest, module: str, found: Mapping[str, list[str]]) -> str:
    """Lists a module's functions that are missing, or whose parameters differ from the stub's."""
    reference = import_module(f"solutions.{manifest.package}.{module}")
    lines = []
    for name in manifest.functions_of(module):
        expected = list(inspect.signature(getattr(reference, name)).parameters)
        got = found.get(name)
        if got is None:
            lines.append(f"{name} is missing or not callable")
        elif got != expected and not any(p.startswith("*") for p in got):  # these take all
            shown = ", ".join(p[:50] for p in got[:20])
            lines.append(f"{name}: expected parameters ({', '.join(expected)}), got ({shown})")
    return "\n".join(lines)


def _changes_report(file: str, changes: Sequence[imports.Change]) -> ModuleReport:
    """Reports what the import of one file has left changed."""
    module = file.partition("/")[2].removesuffix(".py")
    return ModuleReport(module=module, ok=True, message=imports.describe(changes), file=file)


def failed_import_report(
    package: str, module: str, answer: ImportReport, missing: bool
) -> ModuleReport:
    """Reports a failed import in its own words: they cannot hold hidden data yet."""
    if missing:
        return ModuleReport(module=module, ok=False, message=Cause.MISSING.words)
    # The worker may see another folder above it.
    _, found, inside = answer.file.rpartition(f"/{package}/")
    return ModuleReport(
        module=module,
        ok=False,
        message=f"{answer.type}: {answer.message}"[:2000],
        file=(f"{package}/{inside}" if found else answer.file)[:200],
        line=answer.line if 0 <= answer.line < 10**7 else 0,
    )
