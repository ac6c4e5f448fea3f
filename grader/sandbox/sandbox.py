"""What every tier's sandbox does: makes a worker's folders and locks the worker down.

`namespaces.py` has the sandbox of tier A, `shared_filesystem.py` those of the other tiers.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from grader import folders
from grader.isolation import UNISOLATED
from grader.sandbox import kernel, lockdown
from grader.wire.messages import ForkWorker, Grading


class WorkerPaths(NamedTuple):
    """Paths of one worker's folders: outside of the sandbox, or as the worker sees them."""

    submission: str  # holds the student's package; read-only
    shared: str  # what tests write; read-only
    scratch: str  # writable; kept for the next worker of the same test
    tmp: str  # writable; removed with the worker


class Sandbox:
    """Makes workers' folders in the grading's folder; subclasses lock workers down.

    `prepare` comes first and `tear_down` last, both in the zygote. For each worker the zygote calls
    `make_paths` and `before_worker_fork`, the worker `lock_down`, and once it has ended the zygote
    `clean`.
    """

    tier: str
    own_uids = False  # whether each worker runs as another user than the judge
    world_writable: tuple[str, ...] = ()  # folders that every user may write, but no worker

    def __init__(self, grading: Grading) -> None:
        self.grading, self.run = grading, grading.run

    def prepare(self) -> None:
        """Gets ready, once and before any other thread exists; raises CannotIsolate."""

    def make_paths(self, request: ForkWorker) -> WorkerPaths:
        """Makes a worker's folders; returns their paths as seen from outside. Raises OSError."""
        scratch, tmp = (Path(self.run, kind, request.scratch) for kind in ("scratch", "tmp"))
        with contextlib.suppress(FileExistsError):  # an earlier worker of the same test made it
            self._make_folder(scratch, request.uid)
        self._make_folder(tmp, request.uid)
        return WorkerPaths(request.submission, request.shared, str(scratch), str(tmp))

    def _make_folder(self, folder: Path, uid: int) -> None:
        folder.mkdir(mode=0o700)
        if uid:
            os.chown(folder, uid, -1)

    def become_worker(self, uid: int, *groups: int) -> None:
        """Gives this process a worker's user and groups, if workers have their own."""
        if self.own_uids:
            lockdown.drop_privileges(uid, *groups)

    def become_like(self, pid: int, uid: int) -> None:
        """Gives this process the user and the first group of a worker, to look at it from outside.

        The kernel compares both. A worker that has ended is no error; nothing of it can be seen.
        """
        group = self.grading.first_uid
        with contextlib.suppress(OSError):
            group = Path("/proc", str(pid)).stat().st_gid
        self.become_worker(uid, group)
        kernel.prctl(kernel.PR_SET_DUMPABLE, 0)  # the worker is the same user

    def before_worker_fork(self) -> None:
        """Prepares this process for forking a worker."""

    def before_zygote_fork(self) -> None:
        """Prepares this process for forking a second zygote."""

    def lock_down(self, request: ForkWorker, paths: WorkerPaths) -> WorkerPaths:
        """Locks this process down, which is detached; returns its paths as it sees them now."""
        raise NotImplementedError

    def clean(self, name: str, keep_scratch: bool, alive: Collection[int]) -> None:
        """Removes what a worker that has ended wrote, in folders of this name.

        `keep_scratch` leaves its scratch folder to the next worker of the same test; `alive` are
        the zygote's child processes that are still wanted.
        """
        folders.remove(Path(self.run, "tmp", name))
        if not keep_scratch:
            folders.remove(Path(self.run, "scratch", name))

    def tear_down(self) -> None:
        """Undoes what would keep the grading's folder from being removed."""


class Unisolated(Sandbox):
    """For `--unsafe`: workers with folders and resource limits of their own, and no isolation."""

    tier = UNISOLATED

    def lock_down(self, request: ForkWorker, paths: WorkerPaths) -> WorkerPaths:
        """Only sets the usual resource limits."""
        os.chdir(paths.scratch)
        lockdown.limit_resources(with_cuda=self.grading.with_devices)
        return paths
