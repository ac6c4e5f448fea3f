"""Tiers B, B- and C: workers on the machine's own file system, where namespaces are forbidden.

B   root without CAP_SYS_ADMIN, as in a container: a user for each worker, Landlock, seccomp.
B-  the same without Landlock: file modes stand between a worker and what is secret.
C   no root: Landlock and seccomp under the judge's own user.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import stat
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from grader import folders
from grader.worker import cuda, kernel, landlock, lockdown, seccomp
from grader.worker.lockdown import CannotIsolate, Places

# What a library may ask the system for; of other processes a worker sees nothing by Landlock.
_FACTS = ("/proc/self", "/proc/cpuinfo", "/proc/meminfo")
# What is left there outlives a worker: for another's to find, or until the disk is full.
_COMMON = ("/tmp", "/var/tmp", "/dev/shm", "/run/lock", "/var/lock")


class Shared:
    """Locks workers down without a root of their own.

    Args:
        run: the grading's own folder, with `scratch`, `tmp`, `exchange` and `submissions`.
        hidden: folders that no worker may see, even where a readable one holds them.
        gid: the group of this grading's workers, which alone may read its submissions.
    """

    uses_landlock = True
    needs_root = True

    def __init__(self, run: str, hidden: tuple[str, ...], gid: int) -> None:
        self.run, self.hidden, self.gid = run, hidden, gid
        self.own_uids = self.needs_root
        self.common = tuple(dict.fromkeys([*_COMMON, str(Path(run).parent)]))
        self._readable: list[str] = []

    # --- once, in the zygote -------------------------------------------------------------------

    def prepare(self) -> None:
        """Finds out what workers may read, and closes this grading's folders for others.

        Raises:
            CannotIsolate: this is not root where that is needed, or there is no Landlock.
        """
        if self.needs_root and os.geteuid() != 0:
            raise CannotIsolate("it needs root, to give each worker a user of its own")
        if self.uses_landlock and not landlock.abi():
            raise CannotIsolate("this kernel does not offer Landlock, or refuses it")
        try:
            seccomp.program(1)
            if self.needs_root:
                _must_be_open(lockdown.prefixes())
                for name in ("submissions", "exchange"):
                    os.chown(Path(self.run, name), 0, self.gid)
                    Path(self.run, name).chmod(0o710)
        except seccomp.Unsupported as error:
            raise CannotIsolate(str(error)) from error
        except OSError as error:
            raise CannotIsolate(f"the grading's folders cannot be closed: {error}") from error
        machine = (*lockdown.LIBRARIES, *lockdown.prefixes(), *lockdown.DEVICES, *_FACTS[1:])
        hidden = tuple(os.path.realpath(folder) for folder in self.hidden)
        parts = [part for path in machine for part in _without(path, hidden)]
        self._readable = list(dict.fromkeys(parts))  # /lib may be a link to /usr/lib
        kernel.prctl(kernel.PR_SET_CHILD_SUBREAPER, 1)

    # --- for each worker, in the zygote ---------------------------------------------------------

    def make_scratch(self, name: str, uid: int) -> str:
        """A scratch folder for a worker of this user; an earlier worker's, if there was one."""
        folder = Path(self.run, "scratch", name)
        with contextlib.suppress(FileExistsError):
            self._make(folder, uid)
        return str(folder)

    def make_tmp(self, name: str, uid: int) -> str:
        """A folder that goes with the worker."""
        folder = Path(self.run, "tmp", name)
        self._make(folder, uid)
        return str(folder)

    def make_submission(self, submission: str, name: str) -> str:
        """The staged submission: of another user, for a worker to read."""
        return submission

    def _make(self, folder: Path, uid: int) -> None:
        folder.mkdir(mode=0o700)
        if uid:
            os.chown(folder, uid, self.gid)

    def about_to_fork(self) -> None:
        """Nothing to do: there is one pid namespace."""

    about_to_twin = about_to_fork

    def clean(self, name: str, keep_scratch: bool, alive: Collection[int]) -> None:
        """Removes what a worker that is gone wrote, and ends what it may have started."""
        _end_strays(alive)
        folders.remove(Path(self.run, "tmp", name))
        if not keep_scratch:
            folders.remove(Path(self.run, "scratch", name))

    def leave(self) -> None:
        """Nothing to do: nothing is mounted."""

    # --- in each worker -------------------------------------------------------------------------

    def enter(
        self, channel: int, output: int, places: Places, uid: int, with_cuda: bool = False
    ) -> Places:
        """Locks this process down; its places are called the same inside."""
        processes = lockdown.PROCESSES + (0 if self.own_uids else _processes_of(os.getuid()))
        lockdown.detach(channel, output)
        lockdown.go_first()
        os.chdir(places.tmp)
        lockdown.limit_resources(processes, with_cuda)
        readable = [*self._readable, "/proc/self", places.submission, places.exchange]
        readable += cuda.facts() if with_cuda else []
        if self.own_uids:
            kernel.drop_bounding_set()
            lockdown.become(uid, self.gid)
        else:
            kernel.prctl(kernel.PR_SET_DUMPABLE, 0)
        lockdown.seal(
            readable if self.uses_landlock else None,
            writable=[places.scratch, places.tmp, "/dev/null"],
            with_cuda=with_cuda,
        )
        return places


class TierB(Shared):
    tier = "B"


class TierBMinus(Shared):
    tier = "B-"
    uses_landlock = False


class TierC(Shared):
    tier = "C"
    needs_root = False

    def make_submission(self, submission: str, name: str) -> str:
        """A copy for each worker: their user owns it, and Landlock leaves its times and modes to be
        changed, for the next worker to read."""
        copy = Path(self.run, "tmp", f"{name}-submission")
        shutil.copytree(submission, copy)
        return str(copy)

    def clean(self, name: str, keep_scratch: bool, alive: Collection[int]) -> None:
        super().clean(name, keep_scratch, alive)
        folders.remove(Path(self.run, "tmp", f"{name}-submission"))


def _must_be_open(places: Iterable[str]) -> None:
    """Raises CannotIsolate if another user cannot reach one of these folders."""
    for folder in map(Path, places):
        for place in (*reversed(folder.parents), folder):
            if not place.stat().st_mode & stat.S_IXOTH:
                raise CannotIsolate(
                    f"other users cannot reach the interpreter in {folder}: {place} is closed to "
                    "them. Install Python and its packages where everybody may read them, such as "
                    f"below /opt, or open the folder: chmod o+x {place}"
                )


def _without(path: str, hidden: tuple[str, ...]) -> Iterator[str]:
    """The path, or if it holds hidden folders, all that lies beside them."""
    path = os.path.realpath(path)
    if not Path(path).exists() or path in hidden:
        return
    if not any(folder.startswith(path + "/") for folder in hidden):
        yield path
        return
    for inside in sorted(Path(path).iterdir()):
        if not inside.is_symlink():
            yield from _without(str(inside), hidden)


def _end_strays(alive: Collection[int]) -> None:
    """Ends this process's children that are no workers: what a worker started, once it is gone.

    seccomp forbids workers to start any; this is for the day when it does not.
    """
    while strays := _children() - set(alive):
        for pid in strays:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def _children() -> set[int]:
    return {int(pid) for pid in Path("/proc/thread-self/children").read_text().split()}


def _processes_of(uid: int) -> int:
    """How many processes and threads a user has: the kernel's limit counts all of them."""
    count = 0
    for process in Path("/proc").iterdir():
        if process.name.isdigit():
            with contextlib.suppress(OSError):
                if process.stat().st_uid == uid:
                    count += sum(1 for _ in Path(process, "task").iterdir())
    return count
