"""The report of a mutation campaign: as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from grader.authoring.mutation.campaign import Outcome, share
from grader.authoring.mutation.mutants import diff
from grader.authoring.mutation.verdicts import Verdict

_STYLES = {"-": "red", "+": "green", "@": "cyan"}


def summary(outcome: Outcome, folder: str, at_least: float) -> RenderableType:
    """The report as text: survivors, with paths below the package's folder; problems; figures."""
    return Group(*_survivors(outcome, folder), *_problems(outcome, at_least), _table(outcome))


def record(outcome: Outcome) -> bytes:
    """The report as JSON: figures for each module, and each mutant with its verdict."""
    content = {
        "total": _counts(outcome, outcome.verdicts),
        "modules": {m: _counts(outcome, some) for m, some in outcome.by_module.items()},
        "problems": outcome.problems,
        "faults": outcome.faults,
        "stale": outcome.stale,
        "mutants": [_mutant(outcome, verdict) for verdict in outcome.verdicts],
    }
    return msgspec.json.format(msgspec.json.encode(content), indent=2)


def _mutant(outcome: Outcome, verdict: Verdict) -> dict[str, Any]:
    mutant = verdict.mutant
    entry = outcome.plan.listed.entry(mutant)
    return {
        "id": mutant.id,
        "module": mutant.module,
        "function": mutant.function,
        "operator": mutant.operator,
        "line": mutant.line,
        "original": mutant.original,
        "mutated": mutant.mutated,
        "occurrence": mutant.occurrence,
        "status": verdict.status,
        "equivalent": entry.reason if entry else None,
        "killer": verdict.killer,
        "noticed": verdict.noticed,
        "seconds": verdict.seconds,
    }


def _counts(outcome: Outcome, verdicts: Sequence[Verdict]) -> dict[str, Any]:
    unnoticed = [v for v in verdicts if v.status in ("public", "survived", "untested")]
    listed = [verdict for verdict in unnoticed if outcome.is_listed(verdict)]
    public = sum(verdict.status == "public" for verdict in listed)
    return {
        "mutants": len(verdicts),
        "killed": sum(verdict.status == "killed" for verdict in verdicts),
        "timed out": sum(verdict.status == "timed out" for verdict in verdicts),
        "public": public,
        "equivalent": len(listed) - public,
        "survived": len(unnoticed) - len(listed),
        "faults": sum(verdict.status == "fault" for verdict in verdicts),
        "share": round(100 * share(verdicts), 2),
    }


def _table(outcome: Outcome) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("module")
    for name in _counts(outcome, ()):
        table.add_column(name, justify="right")
    for module, verdicts in {**outcome.by_module, "total": outcome.verdicts}.items():
        if verdicts:
            cells = [str(value) for value in _counts(outcome, verdicts).values()]
            style = "bold" if module == "total" else None
            table.add_row(module, *cells[:-1], f"{100 * share(verdicts):.1f} %", style=style)
    return table


def _survivors(outcome: Outcome, folder: str) -> Iterator[RenderableType]:
    untested: dict[str, int] = {}
    for verdict in outcome.survivors:
        mutant = verdict.mutant
        if verdict.status == "untested":
            name = f"{mutant.module}.{mutant.scope}"
            untested[name] = untested.get(name, 0) + 1
            continue
        path = f"{folder}/{mutant.module}.py"
        yield Text.assemble(
            (f"{path}:{mutant.line}", "bold"),
            f"  {mutant.function}: ",
            ("survived", "red"),
            f" the hidden tests, not {verdict.killer}" if verdict.status == "public" else "",
            (f"  {mutant.operator} · {mutant.id}", "dim"),
        )
        for line in diff(outcome.plan.texts[mutant.module], mutant, path):
            yield Text(line, style=_STYLES.get(line[:1], ""))
        yield Text()
    for name, count in untested.items():
        yield Text(f"{name}: no hidden test is for it; its {count} mutants survive", style="red")


def _problems(outcome: Outcome, at_least: float) -> Iterator[RenderableType]:
    for problem in outcome.problems:
        yield Text(problem, style="red")
    for fault in outcome.faults:
        yield Text(f"a fault of the grader, so there is no result: {fault}", style="red")
    for line in outcome.stale:
        yield Text(f"stale in the list of equivalents: {line}", style="red")
    for verdict in outcome.flaky:
        mutant, hits = verdict.mutant, sum(verdict.noticed)
        yield Text(
            f"killed by {hits} of {len(verdict.noticed)} nonces only: "
            f"{mutant.module}.py:{mutant.line} {mutant.original!r} → {mutant.mutated!r}, "
            f"by {verdict.killer}",
            style="yellow",
        )
    if outcome.verdicts and 100 * outcome.share < at_least:
        found = f"{100 * outcome.share:.1f} %"
        yield Text(f"{found} of all mutants were killed; {at_least:g} % are required", style="red")
