"""Processes from `/proc`: those that a grading started, and those that it left behind."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.judge.grader import Grader
from grader.sandbox import kernel
from tests.harness.conftest import wait_until


@pytest.fixture(scope="module", autouse=True)
def reaper() -> Iterator[None]:
    """Makes orphans children of this process, so that tests find them.

    It applies to each module that imports it.
    """
    kernel.prctl(kernel.PR_SET_CHILD_SUBREAPER, 1)
    yield
    kernel.prctl(kernel.PR_SET_CHILD_SUBREAPER, 0)


def children(pid: int) -> list[int]:
    try:
        return [int(p) for p in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except (OSError, ValueError):
        return []


def descendants(pid: int) -> set[int]:
    found = set(children(pid))
    return found.union(*map(descendants, found))


def command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""


def status(pid: int) -> dict[str, str]:
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return {}
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


def is_alive(pid: int) -> bool:
    """Whether a process has not ended; a zombie has."""
    return not status(pid).get("State", "Z").startswith("Z")


def reap_orphans(but: int) -> None:
    """Reaps zombies that became children of this process, except the process `but`."""
    for pid in children(os.getpid()):
        if pid != but and not is_alive(pid):
            os.waitpid(pid, os.WNOHANG)


def assert_none_but(left: set[int], but: int = 0) -> None:
    """Asserts that only these are left of this process's, and perhaps the zombie `but`.

    It waits for that: the zygote of a killed judge needs a moment.
    """

    def gone() -> bool:
        reap_orphans(but)
        return descendants(os.getpid()) <= left

    assert wait_until(gone), descendants(os.getpid()) - left


def serving_zygote(grader: Grader) -> int:
    """The zygote's process; for an ordinary user it is a child of the process that was started."""
    started = grader.zygote._process.pid
    return children(started)[0] if grader.zygote.tier == "A" and os.getuid() else started
