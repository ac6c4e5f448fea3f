"""What is known of a submission before its tests: its files compiled, its modules imported once.

Nothing secret has been near a worker by then, so what an import says may be shown as it is.
"""

from __future__ import annotations

import contextlib
import importlib.util
import inspect
import secrets
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from assignment.manifest import Manifest
from grader.judge.failure import Killed, SubmissionFailure
from grader.judge.proxy import Workers
from grader.judge.worker import Worker
from grader.results.causes import WORDS, Cause
from grader.results.record import ExerciseScore, ModuleReport


@dataclass
class Survey:
    """The modules' reports, the cause of each that cannot be imported, and a worker's probes."""

    reports: list[ModuleReport] = field(default_factory=list)
    broken: dict[str, Cause] = field(default_factory=dict)
    probes: dict[str, str] = field(default_factory=dict)

    def needed(self, manifest: Manifest, scores: Iterable[ExerciseScore]) -> list[ModuleReport]:
        """The reports but for modules that are missing and that nothing measured here asks for."""
        measured = {score.id for score in scores if score.measured}
        modules = {m for exercise in manifest if exercise.id in measured for m in exercise.modules}
        return [
            report
            for report in self.reports
            if report.module in modules or self.broken.get(report.module) is not Cause.MISSING
        ]


def compile_ahead(workers: Workers, manifest: Manifest) -> None:
    """Lays each file's bytecode beside it, or every worker would compile what it imports.

    A worker that imports nothing compiles: of the submission it runs no line, so bytecode is what
    the file says. What cannot be compiled in time is left to the import, which tells why.
    """
    folder = workers.submission
    files = [str(file.relative_to(folder)) for file in sorted(folder.rglob("*.py"))]
    with _fresh(workers, manifest) as worker, contextlib.suppress(SubmissionFailure):
        for name, code in worker.compile(files).items():
            place = Path(importlib.util.cache_from_source(str(folder / name)))
            place.parent.mkdir(mode=0o755, exist_ok=True)
            place.write_bytes(code)
            place.chmod(0o644)


def survey(workers: Workers, manifest: Manifest, only: Collection[str]) -> Survey:
    """Imports each module in a worker of its own; where some exercises `only` are run, theirs."""
    found = Survey()
    wanted = [exercise for exercise in manifest if not only or exercise.id in only]
    for module in dict.fromkeys(module for exercise in wanted for module in exercise.modules):
        names = list(manifest.functions_of(module))
        try:
            try:
                answer = _survey(workers, manifest, module, names, found)
            except Killed:
                answer = _survey(workers, manifest, module, names, found)
        except SubmissionFailure as failure:
            found.broken[module] = Cause.IMPORT_FAILED
            message = f"while {module}.py was imported: {failure.detail}"
            found.reports.append(ModuleReport(module=module, ok=False, message=message))
            continue
        if isinstance(parameters := answer.get("result"), dict):
            message = _signatures(manifest, module, parameters)
            found.reports.append(ModuleReport(module=module, ok=True, message=message))
            continue
        missing = answer.get("failed") == "missing"
        found.broken[module] = Cause.MISSING if missing else Cause.IMPORT_FAILED
        found.reports.append(import_report(manifest.package, module, answer, missing))
    return found


def _survey(
    workers: Workers, manifest: Manifest, module: str, names: list[str], found: Survey
) -> dict[str, Any]:
    with _fresh(workers, manifest) as worker:
        found.probes = worker.probes
        return worker.survey(module, names)


@contextlib.contextmanager
def _fresh(workers: Workers, manifest: Manifest) -> Iterator[Worker]:
    """A worker that may import the submission, and is ended afterwards."""
    worker, _ = workers.start(manifest.limits, secrets.randbits(63))
    try:
        yield worker
    finally:
        worker.kill()


def _signatures(manifest: Manifest, module: str, found: Mapping[object, object]) -> str:
    """Which functions of a module are missing, or take other parameters than their stub."""
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
    """What a failed import says: its own words, since it has seen nothing secret yet."""
    if missing:
        return ModuleReport(module=module, ok=False, message=f"{module}.py: {WORDS[Cause.MISSING]}")
    line = answer.get("line")
    file = str(answer.get("file") or "")
    _, found, inside = file.rpartition(f"/{package}/")  # wherever the worker saw it
    return ModuleReport(
        module=module,
        ok=False,
        message=f"{answer.get('type')}: {answer.get('message')}"[:2000],
        file=(f"{package}/{inside}" if found else file)[:200],
        line=line if isinstance(line, int) and 0 <= line < 10**7 else 0,
    )
