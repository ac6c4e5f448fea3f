"""The table of what was measured on a device, from the lines that `make gpu` wrote."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from grader.judge.timing.rules import RULES
from grader.judge.timing.statistic import PRECISE


def written(lines: Iterable[str]) -> str:
    """The text of gpu.md. The last result of each stage counts; what failed says so."""
    last = {(one["step"], one["stage"]): one for one in map(json.loads, lines)}
    devices = {one["device"] for one in last.values()}
    parts = ["# What was measured on a device", ""]
    if devices == {"cpu"}:
        parts += ["A rehearsal on a CPU: no figure here is of a device.", ""]
    found = [one.get("result", {}) for (_, stage), one in last.items() if stage == "facts"]
    facts = found[-1] if found else {}
    parts += [f"- {name}: {value}" for name, value in facts.items() if value]
    parts += ["", *_races(last), "", *_variants(last), "", *_others(last), ""]
    return "\n".join(parts)


def _races(last: dict[tuple[str, str], Any]) -> list[str]:
    rows = [
        "Each race has as few blocks as an interval needs. `took` is all of it, `planned` what "
        "`plan.py` expects of an H100.",
        "",
        "| race | tier | reference, s | ratio | interval | half-width | naive | blocks | void "
        "| mark | took, s | planned, s |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for (step, stage), one in last.items():
        if not stage.startswith("race "):
            continue
        name, found = f"{stage.removeprefix('race ')} ({step})", one.get("result")
        if not found or "ratio" not in found:
            why = one.get("error") or f"{found['cause']}: {found['detail']}"
            rows.append(f"| {name} | not measured: {_cell(why)} {'| ' * 10}|")
            continue
        half = (found["high"] - found["low"]) / 2 / found["ratio"]
        cells = [name, found["tier"], f"{found['reference seconds']:.4g}", f"{found['ratio']:.3f}"]
        cells += [f"{found['low']:.3f} to {found['high']:.3f}", f"{half:.1%}"]
        cells += [f"{found['naive']:.2f}", str(found["blocks"]), str(len(found["void"]))]
        cells += [f"{found['mark']:g}", f"{one['seconds']:.0f}"]
        cells += [f"{found['planned']:.0f}" if found["planned"] else ""]
        rows.append(f"| {' | '.join(cells)} |")
    return rows


def _variants(last: dict[tuple[str, str], Any]) -> list[str]:
    rows = [
        "Without a lockdown, five runs each. What an H100 needs at least is for its own sizes, "
        "by its data sheet, in bf16. A mark is decided by an interval of "
        f"±{PRECISE:.0%}; a block is void if two places of the reference in it are more than "
        f"{RULES['cuda'].max_spread:.0%} apart.",
        "",
        "| program | variant | s | times the reference's | spread | error | GFLOP | GB | TFLOP/s "
        "| GB/s | an H100 needs, s |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for (_, stage), one in last.items():
        if not stage.startswith("variants "):
            continue
        program = stage.removeprefix("variants ")
        results = one.get("result") or [{"variant": "", "skipped": one.get("error")}]
        reference = results[0].get("seconds")
        for found in results:
            if "skipped" in found:
                reason = _cell(found["skipped"])
                rows.append(f"| {program} | {found['variant']} | {reason} {'| ' * 8}|")
                continue
            cells = [program, found["variant"], f"{found['seconds']:.4g}"]
            cells += [f"{found['seconds'] / reference:.2f}", f"{found['spread']:.1%}"]
            cells += [f"{found['error']:.1e}", f"{found['FLOPs'] / 1e9:.3g}"]
            cells += [f"{found['bytes'] / 1e9:.3g}", f"{found['TFLOP/s']:.3g}"]
            cells += [f"{found['GB/s']:.3g}"]
            rows.append(f"| {' | '.join(cells)} | {found['on an H100']:.2g} |")
    return rows


def _others(last: dict[tuple[str, str], Any]) -> list[str]:
    shown = ("ladder", "zygotes", "trace", "tiers", "budgets", "timer", "cheats", "programs")
    return [
        f"- {step} {stage}, {one['seconds']} s: {_cell(one.get('error') or _short(stage, one))}"
        for (step, stage), one in last.items()
        if stage.startswith(shown)
    ]


def _short(stage: str, one: Any) -> Any:
    """A result; of a ladder only how far each rung came."""
    if stage != "ladder":
        return one["result"]
    return "; ".join(
        f"{rung['rung']}: " + (f"{rung['failed']}: {rung['reason']}" if rung["failed"] else "holds")
        for rung in one["result"]
    )


def _cell(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return " ".join(text.split()).replace("|", "\\|")[:600]
