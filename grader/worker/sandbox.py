"""What every tier's sandbox does: makes a worker's folders and locks the worker down.

`namespaces.py` has the sandbox of tier A, `shared_filesystem.py` those of the other tiers.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader import folders
from grader.isolation import UNISOLATED
from grader.worker import lockdown


@dataclass(frozen=True)
class GradingContext:
    """What the judge tells its zygote about the grading.

    Args:
        run: the grading's own folder, with `scratch`, `tmp`, `exchange` and `submissions`.
        hidden: folders that no worker may see, even below a readable one.
        first_uid: the first of the users that workers may become, and their group.
        canary: a file that only the judge may read.
        results: a folder that only the judge may write.
    """

    run: str
    hidden: tuple[str, ...]
    first_uid: int
    canary: str
    results: str

    @classmethod
    def from_message(cls, message: dict[str, Any]) -> GradingContext:
        """Reads the judge's first message."""
        return cls(
            run=message["run"],
            hidden=tuple(message["hidden"]),
            first_uid=message["uid"],
            canary=message["canary"],
            results=message["results"],
        )


@dataclass(frozen=True)
class WorkerRequest:
    """One worker that the judge asked for.

    Args:
        name: of its folders for scratch and temporary files.
        uid: the user that it becomes; 0 where workers run as the zygote's user.
        submission: folder of the staged submission.
        shared: folder that tests write and the worker may read, by the same path inside.
        channel: descriptor for frames to and from the judge.
        output: descriptor for what the worker prints.
        with_cuda: whether it may use a CUDA device.
        judge: the judge's process id.
        hidden, canary, results: as in `GradingContext`; the worker probes them.
    """

    name: str
    uid: int
    submission: str
    shared: str
    channel: int
    output: int
    with_cuda: bool = False
    judge: int = 0
    hidden: tuple[str, ...] = ()
    canary: str = ""
    results: str = ""

    @classmethod
    def from_message(
        cls, message: dict[str, Any], channel: int, output: int, own_uids: bool
    ) -> WorkerRequest:
        """Reads a "spawn" message of the judge's."""
        return cls(
            name=message["scratch"],
            uid=message["spawn"] if own_uids else 0,
            submission=message["submission"],
            shared=message["exchange"],
            channel=channel,
            output=output,
            with_cuda=message["cuda"],
            judge=message["judge"],
            hidden=tuple(message["hidden"]),
            canary=message["canary"],
            results=message["results"],
        )


@dataclass(frozen=True)
class WorkerPaths:
    """Paths of one worker's folders: outside of the sandbox, or as the worker sees them.

    Args:
        submission: holds the student's package; read-only.
        shared: what tests write; read-only.
        scratch: writable; kept for the next worker of the same test.
        tmp: writable; removed with the worker.
    """

    submission: str
    shared: str
    scratch: str
    tmp: str


class Sandbox:
    """Makes workers' folders in the grading's folder; subclasses lock workers down.

    `prepare` comes first and `tear_down` last, both in the zygote. For each worker the zygote calls
    `make_paths` and `before_worker_fork`, the worker `lock_down`, and once it has ended the zygote
    `clean`.
    """

    tier: str
    own_uids = False  # whether each worker runs as another user than the judge
    world_writable: tuple[str, ...] = ()  # folders that every user may write, but no worker

    def __init__(self, grading: GradingContext) -> None:
        self.run, self.hidden, self.gid = grading.run, grading.hidden, grading.first_uid

    def prepare(self) -> None:
        """Gets ready, once and before any other thread exists.

        Raises:
            CannotIsolate: the tier cannot be had on this machine.
        """

    def make_paths(self, request: WorkerRequest) -> WorkerPaths:
        """Makes a worker's folders; returns their paths as seen from outside. Raises OSError."""
        return WorkerPaths(
            self.make_submission(request),
            request.shared,
            self.make_scratch(request),
            self.make_tmp(request),
        )

    def make_submission(self, request: WorkerRequest) -> str:
        """The folder that the worker reads the submission from: by default the staged one."""
        return request.submission

    def make_scratch(self, request: WorkerRequest) -> str:
        """Makes the scratch folder, unless an earlier worker of the same test has made it."""
        folder = Path(self.run, "scratch", request.name)
        with contextlib.suppress(FileExistsError):
            self._make_folder(folder, request.uid)
        return str(folder)

    def make_tmp(self, request: WorkerRequest) -> str:
        """The worker's folder for temporary files."""
        folder = Path(self.run, "tmp", request.name)
        self._make_folder(folder, request.uid)
        return str(folder)

    def _make_folder(self, folder: Path, uid: int) -> None:
        folder.mkdir(mode=0o700)
        if uid:
            os.chown(folder, uid, self.gid)

    def before_worker_fork(self) -> None:
        """Prepares this process for forking a worker."""

    def before_zygote_fork(self) -> None:
        """Prepares this process for forking a second zygote."""

    def lock_down(self, request: WorkerRequest, paths: WorkerPaths) -> WorkerPaths:
        """Locks this process down, just after its fork; returns its paths as it sees them now."""
        raise NotImplementedError

    def clean(self, name: str, keep_scratch: bool, alive: Collection[int]) -> None:
        """Removes what a worker that has ended wrote.

        Args:
            name: of its folders.
            keep_scratch: leaves its scratch folder to the next worker of the same test.
            alive: the zygote's child processes that are still wanted.
        """
        folders.remove(Path(self.run, "tmp", name))
        if not keep_scratch:
            folders.remove(Path(self.run, "scratch", name))

    def tear_down(self) -> None:
        """Undoes what would keep the grading's folder from being removed."""


class Unisolated(Sandbox):
    """For `--unsafe`: workers with folders and resource limits of their own, and no isolation."""

    tier = UNISOLATED

    def lock_down(self, request: WorkerRequest, paths: WorkerPaths) -> WorkerPaths:
        """Only takes over the channel and sets the usual resource limits."""
        lockdown.detach(request.channel, request.output)
        os.chdir(paths.scratch)
        lockdown.limit_resources(with_cuda=request.with_cuda)
        return paths
