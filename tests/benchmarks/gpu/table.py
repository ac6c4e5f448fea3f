"""The table of what was measured on a device, from the lines that the campaign `gpu` wrote."""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Iterable, Sequence
from typing import Any

from grader.races.statistic import PRECISE, REFERENCE, RULES, block_log_ratio, places

_HEAD = 4  # lines above the first row of a table
_LIMITS = ("FLOP/s", "bytes/s", "bytes/s from the host")
_WORK = ("FLOPs", "bytes", "bytes from the host")


def written(lines: Iterable[str]) -> str:
    """The text of gpu.md, a chapter for each device.

    The stage `facts` names the device of the lines that follow it. The last result of each stage on
    a device counts; what failed says so.
    """
    parts = ["# What was measured on a device"]
    devices: dict[str, dict[str, Any]] = {}
    last: dict[str, Any] = devices.setdefault("An unnamed device", {})
    for one in map(json.loads, lines):
        if one["stage"] == "facts" and "result" in one:
            last = devices.setdefault(one["result"]["device"].split(",")[0], {})
        last[one["stage"]] = one
    for name, last in devices.items():
        if last:
            parts += ["", f"## {name}", "", *_chapter(last)]
    return "\n".join(parts)


def _chapter(last: dict[str, Any]) -> list[str]:
    results = {stage: one.get("result", {}) for stage, one in last.items()}
    limits = [results.get("limits", {}).get(name, 0.0) for name in _LIMITS]
    facts = [f"- {name}: {value}" for name, value in results.get("facts", {}).items() if value]
    if {one["device"] for one in last.values()} == {"cpu"}:
        facts = ["A rehearsal on a CPU: no figure here is of a device.", "", *facts]
    return [*facts, "", *_races(last, limits), "", *_variants(last, limits), "", *_others(last), ""]


def _races(last: dict[str, Any], limits: Sequence[float]) -> list[str]:
    product, copy, link = limits
    rows = [
        f"A plain product in bf16 reached {product / 1e12:.0f} TFLOP/s, a copy "
        f"{copy / 1e9:.0f} GB/s, and a copy from the host {link / 1e9:.1f} GB/s. `share` is the "
        "time that the program's least work takes at these limits, over the reference's time.",
        "",
        "| race | tier | reference, s | share | ratio | interval | half-width | naive | blocks "
        "| void | mark | took, s |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for stage, one in last.items():
        if not stage.startswith("race "):
            continue
        name, found = stage.removeprefix("race "), one.get("result")
        if not found or "ratio" not in found:
            why = one.get("error") or f"{found['cause']}: {found['detail']}"
            why += _so_far([json.loads(part) for part in one.get("parts", ())])
            rows.append(f"| {name} | not measured: {_cell(why)} {'| ' * 10}|")
            continue
        half = (found["high"] - found["low"]) / 2 / found["ratio"]
        seconds = found["reference seconds"]
        cells = [name, found["tier"], f"{seconds:.4g}", _share(found["work"], seconds, limits)]
        cells += [f"{found['ratio']:.3f}", f"{found['low']:.3f} to {found['high']:.3f}"]
        cells += [f"{half:.1%}", f"{found['naive']:.2f}", str(found["blocks"])]
        cells += [str(len(found["void"])), f"{found['mark']:g}", f"{one['seconds']:.0f}"]
        rows.append(f"| {' | '.join(cells)} |")
    return rows


def _so_far(blocks: Sequence[Any]) -> str:
    """What the blocks of an unfinished race show."""
    ratios = {
        naive: [
            block_log_ratio(b["seconds"]) for b in blocks if b["naive"] is naive and not b["void"]
        ]
        for naive in (True, False)
    }
    if not all(ratios.values()):
        return ""
    naive, ratio = (math.exp(statistics.median(ratios[which])) for which in (True, False))
    seconds = statistics.median(s for b in blocks for s in places(b["seconds"], REFERENCE))
    return (
        f"; {len(ratios[False])} blocks: reference {seconds:.4g} s, ratio {ratio:.3f}, "
        f"naive {naive:.2f}"
    )


def _variants(last: dict[str, Any], limits: Sequence[float]) -> list[str]:
    rows = [
        "Without a lockdown, five runs each. A mark is decided by an interval of "
        f"±{PRECISE:.0%}; a block is void if two places of the reference in it are more than "
        f"{RULES['cuda'].max_spread:.0%} apart.",
        "",
        "| program | variant | s | times the reference's | spread | error | share |",
        "|---|---|---|---|---|---|---|",
    ]
    for stage, one in last.items():
        if not stage.startswith("variants "):
            continue
        program = stage.removeprefix("variants ")
        results = one.get("result") or [
            *map(json.loads, one.get("parts", ())),
            {"variant": "", "skipped": one.get("error")},
        ]
        reference = results[0].get("seconds")
        for found in results:
            if "skipped" in found:
                reason = _cell(found["skipped"])
                rows.append(f"| {program} | {found['variant']} | {reason} {'| ' * 4}|")
                continue
            seconds = found["seconds"]
            cells = [program, found["variant"], f"{seconds:.4g}", f"{seconds / reference:.2f}"]
            cells += [f"{found['spread']:.1%}", f"{found['error']:.1e}"]
            cells += [_share([found[name] for name in _WORK], seconds, limits)]
            rows.append(f"| {' | '.join(cells)} |")
    return rows if len(rows) > _HEAD else []


def _share(work: Sequence[float], seconds: float, limits: Sequence[float]) -> str:
    """The time that this work takes at the limits, over these seconds."""
    if not all(limits):
        return ""
    least = max(amount / limit for amount, limit in zip(work, limits, strict=True))
    return f"{least / seconds:.0%}"


def _others(last: dict[str, Any]) -> list[str]:
    shown = ("ladder", "zygotes", "tiers", "budgets", "timer", "cheats", "programs", "grading")
    return [
        f"- {stage}, {one['seconds']} s: {_cell(one.get('error') or _short(stage, one))}"
        for stage, one in last.items()
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
