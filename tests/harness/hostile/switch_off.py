"""Finds out which layer stops which attack: switches off one layer at a time and runs the attacks.

    python -m tests.harness.hostile.switch_off [LAYER …]

A layer is switched off in a copy of this repository, together with the grader's own checks that a
worker is locked down: these would refuse to grade. Some attacks share a copy, which is all that
they can change. One that goes red is run again alone: another may have broken the judge.
"""

from __future__ import annotations

import argparse
import functools
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from rich.console import Console

from tests.harness.conftest import MAX_WAIT, REPOSITORY
from tests.harness.container import OWN_PROCESSES, copy_of_repository, environment, run
from tests.harness.hostile.attacks import CAUSES, CLASSES
from tests.harness.hostile.hand_in import hand_in, target_of
from tests.harness.hostile.layers import ARCHIVES, LAYERS, UNCHECKED, Layer

_ATTACK_TESTS = ("tests/harness/hostile/test_attacks.py",)
_ARCHIVE_TESTS = tuple(
    f"tests/harness/intake/test_{module}.py"
    for module in ("stage", "locate", "entries", "archives", "tar_entries", "folder_entries")
)
_PLAIN_SECONDS = 30  # for an attack in plain pytest: one that takes longer has succeeded
_ONE_SECONDS, _MORE_SECONDS = 180, 15  # for one attack, which may never end; for each other one
_TOGETHER = 15  # attacks in one copy
# Plain pytest isolates nothing: it gets a control group, and its own processes and network.
_FENCE = (
    "import os, sys\n"
    "from grader.sandbox import cgroups\n"
    "limited = cgroups.join(6 * 2**30, 300).summary\n"
    "assert 'memory' in limited and 'pids' in limited, limited\n"
    "assert 'none' not in limited, limited\n"
    "os.execv(sys.argv[1], sys.argv[1:])\n"
)


def edited_texts(layer: Layer) -> dict[str, str]:
    """The files of this repository that change without a layer and without the grader's checks.

    Returns:
        Each file's new text, by its path in the repository.

    Raises:
        ValueError: a text to be replaced does not occur exactly once.
    """
    texts: dict[str, str] = {}
    for edit in (*UNCHECKED, *layer.edits):
        file = f"grader/{edit.file}"
        text = texts[file] if file in texts else (REPOSITORY / file).read_text(encoding="utf-8")
        if text.count(edit.old) != 1:
            raise ValueError(
                f"{edit.file}: {edit.old!r} occurs {text.count(edit.old)} times; expected once"
            )
        texts[file] = text.replace(edit.old, edit.new)
    return texts


def without(layer: Layer, folder: Path) -> None:
    """Copies this repository to `folder`, without the layer and without the grader's checks.

    Raises:
        ValueError: a text to be replaced does not occur exactly once.
    """
    texts = edited_texts(layer)
    copy_of_repository(folder)
    for file, text in texts.items():
        (folder / file).write_text(text, encoding="utf-8")


def attacks_of(layer: Layer) -> tuple[str, ...]:
    """The attacks that a layer may stop."""
    if ARCHIVES in layer.kinds:
        texts = [(REPOSITORY / file).read_text(encoding="utf-8") for file in _ARCHIVE_TESTS]
        return tuple(re.findall(r"^def test_(\w+)", "".join(texts), re.MULTILINE))
    return tuple(a for a in CAUSES if not layer.kinds or CAUSES[a].kind in layer.kinds)


def red(layer: Layer, attacks: Collection[str]) -> set[str]:
    """Those of the attacks that succeed without the layer; all if they do not end.

    Raises:
        RuntimeError: the attacks could not be run.
    """
    if not layer.edits:
        _require_plain_pytest()
        return {attack for attack in attacks if _succeeds_in_plain_pytest(attack)}
    archives = ARCHIVES in layer.kinds
    tests, name = (_ARCHIVE_TESTS, "test_{}") if archives else (_ATTACK_TESTS, "alive[{}]")
    # A fresh copy each time: the attacks may change the copy in which they run.
    with tempfile.TemporaryDirectory(prefix="layer-") as place:
        folder = Path(place)
        # Only tier B- protects the repository by file modes; elsewhere other layers must do it.
        folder.chmod(0o700 if layer.profile == "no-landlock" else 0o755)
        report = folder / "report.xml"
        without(layer, folder)
        report.touch()
        report.chmod(0o666)  # another user may write it
        try:
            # Guarded: without a layer, an attack could change this machine.
            done = run(
                layer.profile,
                folder,
                *("pytest", "-q", "-m", "", "-p", "no:cacheprovider"),
                *("--junit-xml", str(report), *tests),
                *("-k", " or ".join(name.format(attack) for attack in attacks)),
                guarded=True,
                seconds=_ONE_SECONDS + _MORE_SECONDS * (len(attacks) - 1),
            )
        except subprocess.TimeoutExpired:
            return set(attacks)
        if done.returncode not in (0, 1):
            raise RuntimeError(f"pytest ended with {done.returncode}\n{done.stdout}{done.stderr}")
        return _failed(report, attacks)


@functools.cache
def _require_plain_pytest() -> None:
    if _succeeds_in_plain_pytest("nan", MAX_WAIT):  # a wrong answer, which plain pytest fails
        raise RuntimeError(f"plain pytest cannot run the tests of {REPOSITORY} behind its fence")


def _failed(report: Path, attacks: Collection[str]) -> set[str]:
    """The attacks that a report of pytest's lists as failed."""
    failed, tried = set(), set()
    for case in ET.parse(report).iter("testcase"):
        function, _, parameter = case.get("name", "").partition("[")
        name = {function.removeprefix("test_"), parameter.removesuffix("]")} & set(attacks)
        tried |= name
        error = case.find("error")
        if error is not None and "on setup" in error.get("message", ""):  # the attack was not run
            raise RuntimeError(f"{case.get('name')}: {error.text}")
        if error is not None or case.find("failure") is not None:
            failed |= name
    if tried != set(attacks):
        raise RuntimeError(f"{len(tried)} of {len(attacks)} attacks were run")
    return failed


def _succeeds_in_plain_pytest(attack: str, seconds: float = _PLAIN_SECONDS) -> bool:
    """Whether an attack passes a hidden test, ends pytest itself, or never ends."""
    exercise = target_of(attack)
    hidden = sorted((REPOSITORY / "tests" / "hidden").glob("test_*.py"))
    build = REPOSITORY / "build"  # the container hides temporary folders
    build.mkdir(exist_ok=True)
    with (
        tempfile.TemporaryDirectory(prefix="layer-") as place,
        tempfile.TemporaryDirectory(prefix="layer-", dir=build) as visible,
    ):
        folder = hand_in(attack, Path(visible) / "in")
        inside = ["tests.harness.container", "docker", "--guard", place, "--"]
        pytest = [
            *(sys.executable, "-m", "pytest", "-q", "--tb=no", "-p", "no:cacheprovider"),
            *("-c", str(REPOSITORY / "grader/judge/judge.ini"), "-p", "assignment.plugin"),
            *("-o", "addopts=--import-mode=importlib", "--rootdir", str(REPOSITORY / "tests")),
            *("--submission", str(folder), "--ex", exercise, "--nonce", os.urandom(8).hex()),
            *(str(file) for file in hidden if f'"{exercise}"' in file.read_text()),
        ]
        processes = [*OWN_PROCESSES, "--net", "--ipc"]
        try:
            done = subprocess.run(
                [*processes, sys.executable, "-c", _FENCE, sys.executable, "-m", *inside, *pytest],
                cwd=REPOSITORY,
                env={
                    **environment(REPOSITORY),
                    "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
                    "HOME": "/",
                },
                start_new_session=True,  # a signal to the group must not reach this process
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=seconds,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return True
    last = done.stdout[-300:].decode(errors="replace").strip().rpartition("\n")[2]
    return done.returncode != 1 or not re.fullmatch(r"\d+ failed(, \d+ deselected)? in .*", last)


def by_layer(found: dict[str, set[str]]) -> str:
    """A table of layers: how many attacks go red without each, and of which classes."""
    lines = ["| without | goes red | of them, by class |", "|---|---|---|"]
    for name, attacks in found.items():
        kinds = _kinds(attacks)
        shown = ", ".join(f"{kind} {n}" for kind, n in kinds.items())
        lines.append(f"| {LAYERS[name].title} | {len(attacks)} | {shown} |")
    return "\n".join(lines)


def by_class(found: dict[str, set[str]]) -> str:
    """A table of classes of attacks: the layers without which some of a class go red."""
    lines = ["| attacks | layers that stop some where nothing else does |", "|---|---|"]
    for kind in (*CLASSES, ARCHIVES):
        counts = {name: _kinds(attacks)[kind] for name, attacks in found.items()}
        shown = ", ".join(f"{name} {n}" for name, n in counts.items() if n)
        lines.append(f"| {kind} | {shown} |")
    return "\n".join(lines)


def _kinds(attacks: Collection[str]) -> Counter[str]:
    return Counter(CAUSES[a].kind if a in CAUSES else ARCHIVES for a in sorted(attacks))


def main() -> None:
    """Runs every attack without each layer in turn, and prints the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("layers", nargs="*", metavar="layer", help=", ".join(LAYERS))
    options = parser.parse_args()
    console = Console()
    if unknown := set(options.layers) - set(LAYERS):
        parser.error(f"no such layer: {', '.join(sorted(unknown))}; there are {', '.join(LAYERS)}")
    found = {}
    for name in options.layers or LAYERS:
        layer = LAYERS[name]
        attacks = sorted(attacks_of(layer))
        # Without deadlines none would end. Without a process of its own, each is run alone anyway.
        at_once = (1,) if name == "deadlines" or not layer.edits else (_TOGETHER, 1)
        for size in at_once:
            groups = [attacks[i : i + size] for i in range(0, len(attacks), size)]
            with ThreadPoolExecutor(os.cpu_count()) as pool:
                attacks = sorted(set().union(*pool.map(functools.partial(red, layer), groups)))
        found[name] = set(attacks)
        console.print(f"without {name}: {', '.join(attacks) or 'nothing goes red'}")
    console.print(by_layer(found), markup=False, soft_wrap=True)
    console.print()
    console.print(by_class(found), markup=False, soft_wrap=True)


if __name__ == "__main__":
    main()
