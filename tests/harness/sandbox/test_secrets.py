"""What a worker can import, and that its memory holds nothing of the judge's."""

import functools
import importlib
import os
import re
import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.harness.conftest import CANARY, REPOSITORY, needs_root

SECRET_MODULES = (
    "solutions",
    "solutions.resource_accounting",
    "solutions.resource_accounting.strides",
    "tests",
    "tests.hidden",
    "tests.hidden.test_strides",
    "tests.public.test_strides",
    "tests.harness.conftest",
    "grader.judge",
    "grader.judge.grader",
    "grader.judge.session",
    "grader.supervisor.worker",
    "grader.results.record",
    "grader.authoring.stubs",
    "grader.cli",
)


def test_worker_can_import_neither_solutions_nor_tests_nor_judge(inside):
    for name in SECRET_MODULES:
        assert inside.probe.import_it(name) in ("ModuleNotFoundError", "ImportError"), name
        if not name.startswith(("tests.hidden.", "tests.public.")):
            importlib.import_module(name)  # there is such a module
    assert inside.probe.import_it("json") == inside.probe.import_it("grader.wire") == "imported"


def test_worker_has_loaded_no_secret_module(inside):
    ours = [n for n in inside.probe.loaded() if n.partition(".")[0] in ("grader", "assignment")]
    assert {n for n in ours if n.startswith("grader")} == {
        "grader",
        "grader.command_line",
        "grader.folders",
        "grader.isolation",
        "grader.paths",
        "grader.preload",
        *("grader.wire", "grader.wire.arguments", "grader.wire.frames", "grader.wire.messages"),
        *("grader.sandbox", "grader.worker"),
        *(
            f"grader.{path.parent.name}.{path.stem}"
            for path in (REPOSITORY / "grader").glob("*/[a-z]*.py")
            if path.parent.name in ("sandbox", "worker")
        ),
    }
    assert not {"assignment.expect", "assignment.plugin", "assignment.student.progress"} & set(ours)
    others = {n.partition(".")[0] for n in inside.probe.loaded()}
    assert not others & {"solutions", "tests", "handout", "pytest", "_pytest", "hypothesis"}


@functools.cache
def secrets_of_the_judge() -> dict[str, bytes]:
    """Texts that only the judge holds: from the reference, the hidden tests and its environment."""
    from solutions.resource_accounting import strides  # noqa: F401 - so that the judge holds it

    found: dict[str, bytes] = {"the environment": CANARY.encode()}
    public = b"".join(
        path.read_bytes()
        for folder in (
            "assignment",
            "tests/public",
            "handout/resource_accounting",
            "grader/worker",
            "grader/sandbox",
            "grader/wire",
        )
        for path in (REPOSITORY / folder).rglob("*.py")
    )
    for folder in ("solutions/resource_accounting", "tests/hidden"):
        for path in sorted((REPOSITORY / folder).glob("[a-z]*.py")):
            texts = re.findall(rb'"([^"\n{}\\]{25,})"', path.read_bytes())
            unique = [text for text in texts if text not in public]
            if unique:
                found[str(path.relative_to(REPOSITORY))] = max(unique, key=len)
    return found


def memory_of(pid: int) -> bytes:
    """All readable memory of a process, without the libraries' files."""
    return b"\0".join(parts_of_memory(pid))


def parts_of_memory(pid: int) -> Iterator[bytes]:
    """The same in parts: of a judge's there is much."""
    with Path(f"/proc/{pid}/mem").open("rb", buffering=0) as memory:
        for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
            match = re.match(r"([0-9a-f]+)-([0-9a-f]+) (\S+) \S+ \S+ (\d+)\s*(.*)", line)
            assert match is not None, line
            start, end, mode, inode, name = match.groups()
            if mode[0] != "r" or (inode != "0" and "w" not in mode and ".so" in name):
                continue
            if name in ("[vvar]", "[vsyscall]", "[vvar_vclock]"):
                continue
            at = int(start, 16)
            memory.seek(at)
            while at < int(end, 16):
                part = memory.read(int(end, 16) - at)
                if not part:
                    break
                yield part
                at += len(part)


def views(memory: bytes) -> tuple[bytes, ...]:
    """The memory, and its even and odd bytes: there a text in UTF-16 reads as in ASCII."""
    return memory, memory[::2], memory[1::2]


def is_in(text: bytes, memory: tuple[bytes, ...]) -> bool:
    return any(text in view for view in memory)


@needs_root
def test_secrets_are_not_in_a_workers_memory(inside, quick_grader):
    fresh = secrets.token_hex(16)
    os.environ["HARNESS_FRESH"] = fresh
    try:
        inside.probe.loaded()  # the submission is imported
        memory = views(memory_of(inside._worker.process.pid))
    finally:
        del os.environ["HARNESS_FRESH"]
    wanted = dict(secrets_of_the_judge())
    assert sum(name.startswith("solutions/") for name in wanted) >= 4
    assert sum(name.startswith("tests/hidden/") for name in wanted) >= 4
    wanted["made up just now"] = fresh.encode()
    wanted["the judge's own file"] = quick_grader.zygote._run.canary.read_bytes()
    for name, text in wanted.items():
        assert not is_in(text, memory), f"{name} is in the worker's memory: {text!r}"


@needs_root
@pytest.mark.parametrize("beside", ["", "–"], ids=["ASCII", "UTF-16"])
def test_scan_finds_a_text_in_a_workers_memory(inside, beside):
    """Checks the test above. Beside a letter beyond Latin-1 each letter takes two bytes."""
    text = secrets.token_hex(16)
    inside.probe.hold(text + beside)
    assert is_in(text[::-1].encode(), views(memory_of(inside._worker.process.pid)))


@needs_root
def test_scan_finds_the_secrets_in_the_judge():
    """Checks the test above: a process that imports the reference holds its texts."""
    wanted = {secrets_of_the_judge()["solutions/resource_accounting/strides.py"], CANARY.encode()}
    for part in parts_of_memory(os.getpid()):
        wanted -= {text for text in wanted if text in part}
        if not wanted:
            return
    raise AssertionError(f"not found: {wanted}")
