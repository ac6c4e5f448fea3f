"""Which layer stops which attack: switches off one layer at a time, and lets the attacks try.

    python -m tests.harness.layers [LAYER …]

A layer is switched off in a copy of this repository: a few lines of the grader are replaced there.
So are the grader's own checks that a worker is locked down, or it would refuse to grade at all.
What then goes red is tried once more by itself: an attack may have spoilt the judge for others.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from rich.console import Console

from tests.harness.attacks import CAUSES, CLASSES
from tests.harness.container import copy_of_repository, run


class Edit(NamedTuple):
    """Text of a file that stands there once, and what takes its place."""

    file: str
    old: str
    new: str


class Layer(NamedTuple):
    """A layer as it is switched off.

    Args:
        says: what it is.
        attack: one that goes red without it.
        edits: what is replaced in the grader.
        profile: the container where it is not doubled by another layer.
    """

    says: str
    attack: str
    edits: tuple[Edit, ...]
    profile: str = "whole"


_UNCHECKED = (
    Edit("worker/probe.py", "{name: _met(attempt) for", "{name: 'EPERM' for"),
    Edit("judge/worker.py", "            self._check_status()\n", ""),
)
LAYERS = {
    "own root": Layer(
        "a root file system of its own: mount and pivot_root (tier A)",
        "looks_for_answers",
        (
            Edit("worker/namespaces.py", "        self._enter_root(places, uid)\n", ""),
            Edit("worker/namespaces.py", "writable=[TMP, SCRATCH, ", "writable=['/tmp', "),
            Edit(
                "worker/namespaces.py",
                "return Places(SUBMISSION, places.exchange, SCRATCH, TMP)",
                "return Places(places.submission, places.exchange, '/tmp', '/tmp')",
            ),
        ),
    ),
    "own user": Layer(
        "a user of its own for each worker (tier B-, where nothing doubles it)",
        "uses_its_callers_paths",
        (Edit("worker/shared.py", "            lockdown.become(uid, self.gid)\n", ""),),
        "no-landlock",
    ),
    "Landlock": Layer(
        "Landlock (tier C, where nothing doubles it)",
        "uses_its_callers_paths",
        (Edit("worker/lockdown.py", "landlock.restrict(readable, writable)", "pass"),),
        "user",
    ),
    "seccomp": Layer(
        "the list of system calls (tier A)",
        "sweeps_the_kernel",
        (Edit("worker/lockdown.py", "    seccomp.install(seccomp.program(os.getpid()))\n", ""),),
    ),
    "descriptors": Layer(
        "closing what was inherited (tier A)",
        "escapes_by_descriptors",
        (Edit("worker/lockdown.py", "    kernel.close_all_but({0, 1, 2, channel})\n", ""),),
    ),
    "memory watch": Layer(
        "memory as the judge measures it (tier A)",
        "memory_shared",
        (Edit("judge/worker.py", "if held > self._limits.memory_mib * 2**20:", "if False:"),),
    ),
    "frame caps": Layer(
        "caps on a frame's size, values and depth",
        "frame_deep",
        (
            Edit("wire.py", "size: int = 256 * 2**20", "size: int = 2**40"),
            Edit("wire.py", "items: int = 1_000_000", "items: int = 2**40"),
            Edit("wire.py", "depth: int = plain.MAX_DEPTH", "depth: int = 10**6"),
        ),
    ),
    "call ids": Layer(
        "an answer names its call, and comes after it",
        "frame_wrong_id",
        (
            Edit("judge/worker.py", "if answered != call_id:", "if False:"),
            Edit("judge/worker.py", "        if self.answered():\n", "        if False:\n"),
        ),
    ),
    "own words": Layer(
        "what students read of a hidden test is in our words",
        "carries_by_exception",
        (
            Edit(
                "results/student.py",
                'return clean(check.detail or "") if check.visibility == "public" else ""',
                'return clean(check.detail or "")',
            ),
        ),
    ),
}


def without(layer: Layer, folder: Path) -> None:
    """A copy of this repository in `folder`, without the layer, and without the grader's checks.

    Raises:
        ValueError: the text to be replaced is not there, or not once.
    """
    copy_of_repository(folder)
    for edit in (*_UNCHECKED, *layer.edits):
        file = folder / "grader" / edit.file
        text = file.read_text(encoding="utf-8")
        if text.count(edit.old) != 1:
            raise ValueError(f"{edit.file}: {edit.old!r} stands there {text.count(edit.old)} times")
        file.write_text(text.replace(edit.old, edit.new), encoding="utf-8")


def red(layer: Layer, attacks: Collection[str], processes: int = 1) -> set[str]:
    """Which of these attacks do not meet their end once the layer is gone.

    Raises:
        RuntimeError: the attacks could not be tried.
    """
    with tempfile.TemporaryDirectory(prefix="layer-") as place:
        folder = Path(place)
        # Only in tier B- file modes stand before the repository; elsewhere other layers must.
        folder.chmod(0o700 if layer.profile == "no-landlock" else 0o755)
        report = folder / "report.xml"
        without(layer, folder)
        report.touch()
        report.chmod(0o666)  # another user may write it
        # What an attack could do to this machine while a layer is gone, it can do to a copy alone.
        done = run(
            layer.profile,
            folder,
            *("pytest", "-q", "-p", "no:cacheprovider", "-n", str(processes)),
            *("--junit-xml", str(report), "tests/harness/test_hostile.py"),
            *("-k", " or ".join(f"alive[{name}]" for name in attacks)),
            guarded=True,
        )
        if done.returncode not in (0, 1):
            raise RuntimeError(f"pytest ended with {done.returncode}\n{done.stdout}{done.stderr}")
        return _failed(report, attacks)


def _failed(report: Path, attacks: Collection[str]) -> set[str]:
    failed = set()
    tried = 0
    for case in ET.parse(report).iter("testcase"):
        name = case.get("name", "").partition("[")[2].removesuffix("]")
        tried += name in attacks
        error = case.find("error")
        if error is not None and "on setup" in error.get("message", ""):  # it was not even tried
            raise RuntimeError(f"{case.get('name')}: {error.text}")
        if name in attacks and (error is not None or case.find("failure") is not None):
            failed.add(name)
    if tried != len(attacks):
        raise RuntimeError(f"{tried} of {len(attacks)} attacks were tried")
    return failed


def table(found: dict[str, set[str]]) -> str:
    """A line for each layer, a column for each class of which an attack goes red without it."""
    lines = ["| without | goes red | of them, by class |", "|---|---|---|"]
    for name, attacks in found.items():
        kinds = Counter(CAUSES[attack].kind for attack in attacks)
        shown = ", ".join(f"{kind} {kinds[kind]}" for kind in CLASSES if kinds[kind])
        lines.append(f"| {LAYERS[name].says} | {len(attacks)} | {shown} |")
    return "\n".join(lines)


def main() -> None:
    """Tries every attack without each layer in turn."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("layers", nargs="*", metavar="layer", help=", ".join(LAYERS))
    options = parser.parse_args()
    console = Console()
    if unknown := set(options.layers) - set(LAYERS):
        parser.error(f"no such layer: {', '.join(sorted(unknown))}; there are {', '.join(LAYERS)}")
    found = {}
    for name in options.layers or LAYERS:
        together = red(LAYERS[name], tuple(CAUSES), processes=os.cpu_count() or 1)
        found[name] = {attack for attack in together if red(LAYERS[name], [attack])}
        console.print(f"without {name}: {', '.join(sorted(found[name])) or 'nothing goes red'}")
    console.print(table(found), markup=False)


if __name__ == "__main__":
    main()
