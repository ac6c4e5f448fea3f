"""The table of what was measured on a device, from the lines that `make gpu` wrote."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any


def written(lines: Iterable[str]) -> str:
    """The text of gpu.md. The last result of each stage counts; what failed says so."""
    last = {(one["step"], one["stage"]): one for one in map(json.loads, lines)}
    devices = {one["device"] for one in last.values()}
    parts = ["# What was measured on a device", ""]
    if devices == {"cpu"}:
        parts += ["A rehearsal on a CPU: no figure here is of a device.", ""]
    facts = last.get(("learn", "facts"), {}).get("result", {})
    parts += [f"- {name}: {value}" for name, value in facts.items() if value]
    parts += ["", *_races(last), "", *_variants(last), "", *_others(last), ""]
    return "\n".join(parts)


def _races(last: dict[tuple[str, str], Any]) -> list[str]:
    rows = [
        "| race | reference, s | ratio | interval | half-width | naive | blocks | void | mark |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for (step, stage), one in last.items():
        if not stage.startswith("race "):
            continue
        name, found = f"{stage.removeprefix('race ')} ({step})", one.get("result")
        if not found or "ratio" not in found:
            why = one.get("error") or f"{found['cause']}: {found['detail']}"
            rows.append(f"| {name} | not measured: {_cell(why)} | | | | | | | |")
            continue
        half = (found["high"] - found["low"]) / 2 / found["ratio"]
        rows.append(
            f"| {name} | {found['reference seconds']:.4g} | {found['ratio']:.3f} "
            f"| {found['low']:.3f} to {found['high']:.3f} | {half:.1%} | {found['naive']:.2f} "
            f"| {found['blocks']} | {len(found['void'])} | {found['mark']:g} |"
        )
    return rows


def _variants(last: dict[tuple[str, str], Any]) -> list[str]:
    rows = [
        "Without a lockdown, five runs each. What an H100 needs at least is for its own sizes, "
        "by its data sheet, in bf16.",
        "",
        "| program | variant | s | spread | error | TFLOP/s | GB/s | an H100 needs, s |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for (_, stage), one in last.items():
        if not stage.startswith("variants "):
            continue
        program = stage.removeprefix("variants ")
        for found in one.get("result") or [{"variant": "", "skipped": one.get("error")}]:
            if "skipped" in found:
                reason = _cell(found["skipped"])
                rows.append(f"| {program} | {found['variant']} | {reason} | | | | | |")
                continue
            cells = [program, found["variant"], f"{found['seconds']:.4g}", f"{found['spread']:.1%}"]
            cells += [f"{found['error']:.1e}", f"{found['TFLOP/s']:.3g}", f"{found['GB/s']:.3g}"]
            rows.append(f"| {' | '.join(cells)} | {found['on an H100']:.2g} |")
    return rows


def _others(last: dict[tuple[str, str], Any]) -> list[str]:
    shown = ("ladder", "zygotes", "trace", "tiers", "budgets", "timer", "cheats", "programs")
    return [
        f"- {step} {stage}, {one['seconds']} s: {_cell(one.get('error') or one['result'])}"
        for (step, stage), one in last.items()
        if stage.startswith(shown)
    ]


def _cell(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return " ".join(text.split()).replace("|", "\\|")[:600]
