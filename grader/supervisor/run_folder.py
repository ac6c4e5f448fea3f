"""The temporary folder of one running zygote, how both end, and the users that workers become."""

from __future__ import annotations

import functools
import os
import secrets
import subprocess
import tempfile
import weakref
from pathlib import Path

from grader import folders
from grader.supervisor.control import Control

_FIRST_UID = 100_000  # above the accounts of any usual system
_UIDS_EACH = 16  # for each judge process, which has a worker at work, a spare and a kept one
_LOW_UIDS = range(30_000, 60_000)  # where a container knows no more than 65,536 users


@functools.cache
def first_uid(judge: int) -> int:
    """The first user id of a judge process's workers; no other judge's, unless few are mapped."""
    found = _FIRST_UID + judge * _UIDS_EACH
    for line in Path("/proc/self/uid_map").read_text().splitlines():
        start, _, count = map(int, line.split())
        if start <= found and found + _UIDS_EACH <= start + count:
            return found
    return _LOW_UIDS[judge * _UIDS_EACH % len(_LOW_UIDS)]


def uid(judge: int, number: int) -> int:
    """The user id of a judge's `number`th scratch folder; every `_UIDS_EACH`th has the same."""
    return first_uid(judge) + number % _UIDS_EACH


_EXIT_SECONDS = 5  # that a zygote has to end by itself


class RunFolder:
    """A folder that is removed, with its zygote ended first, however this process ends."""

    def __init__(self, lanes: int) -> None:
        # The name is registered for removal before the folder exists, so that an exception in
        # between leaves nothing behind.
        self.path = Path(tempfile.gettempdir()).resolve() / f"grader-{secrets.token_hex(8)}"
        self.cleanup = Cleanup(self.path)
        self.remove = weakref.finalize(self, self.cleanup.run)
        self.path.mkdir(mode=0o700)
        self.path.chmod(0o711)  # others may pass through it and not list it
        self.private = self.path / "judge"  # only the judge reads and writes it
        self.private.mkdir(mode=0o700)
        self.canary = self.private / "canary"  # a worker tries to read it, to test its isolation
        self.canary.write_text("only the judge may read this")
        self.submissions = self.path / "submissions"  # as they were staged
        self.submissions.mkdir(mode=0o755)
        self.trusted = self.path / "trusted"  # our programs, that a submission races
        self.trusted.mkdir(mode=0o755)
        for name in ("scratch", "shared", "tmp", "trial"):
            (self.path / name).mkdir(mode=0o711)
        for lane in range(lanes):
            self.shared_folders(lane).mkdir(mode=0o755)

    def shared_folders(self, lane: int) -> Path:
        """The folder that a lane's tests write and its workers may read."""
        return self.path / "shared" / str(lane)


class Cleanup:
    """Ends a zygote and removes its folder; holds no reference to the RunFolder it belongs to."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._owner = folder, os.getpid()
        self.control: Control | None = None  # this and `process` end first
        self.process: subprocess.Popen[bytes] | None = None

    def run(self) -> None:
        """Ends the zygote with every worker, then removes the folder; does nothing in a fork.

        The zygote ends once its control is closed; if that takes too long, it is killed.
        """
        if os.getpid() != self._owner:
            return
        if self.control is not None:
            self.control.close()
        if self.process is not None:
            try:
                self.process.wait(timeout=_EXIT_SECONDS)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        # The workers of a zygote that was killed end after it, and may still write.
        folders.remove_while_written(self._folder)
