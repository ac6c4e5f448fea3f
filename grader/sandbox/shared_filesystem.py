"""Tiers B, B- and C: workers on the machine's own file system, where namespaces are forbidden.

B   root without CAP_SYS_ADMIN, as in a container: a user for each worker, Landlock, seccomp.
B-  the same without Landlock: only file modes keep a worker from secrets.
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
from grader.isolation import CannotIsolate, Tier
from grader.sandbox import cuda, kernel, landlock, lockdown, seccomp
from grader.sandbox.sandbox import Sandbox, WorkerPaths
from grader.wire.messages import ForkWorker, Grading

# A worker could leave files here for another one to find, or fill the disk.
_WORLD_WRITABLE = ("/tmp", "/var/tmp", "/dev/shm", "/run/lock", "/var/lock")


class SharedFilesystem(Sandbox):
    """Locks workers down without a root file system of their own."""

    uses_landlock = True
    needs_root = True

    def __init__(self, grading: Grading) -> None:
        super().__init__(grading)
        self.own_uids = self.needs_root
        self.world_writable = tuple(dict.fromkeys([*_WORLD_WRITABLE, str(Path(self.run).parent)]))
        self._readable: list[str] = []

    def prepare(self) -> None:
        """Finds out what workers may read, and closes the grading's folders to other users."""
        if self.needs_root and os.geteuid() != 0:
            raise CannotIsolate("it needs root, to give each worker a user of its own")
        if self.uses_landlock and not landlock.abi():
            raise CannotIsolate("this kernel does not offer Landlock, or refuses it")
        if not self.needs_root and landlock.abi() < landlock.FORBIDS_TRUNCATION:
            raise CannotIsolate(
                "this kernel's Landlock cannot keep a worker from truncating its user's files; "
                "that needs Linux 6.2"
            )
        try:
            seccomp.program(1)  # its template is cached for the workers
            if self.needs_root:
                _require_reachable(lockdown.interpreter_folders())
                self._close_folders()
        except OSError as error:
            raise CannotIsolate(f"the grading's folders cannot be closed: {error}") from error
        paths = (*lockdown.LIBRARIES, *lockdown.interpreter_folders(), *lockdown.DEVICES)
        if self.grading.with_devices:
            paths += (*cuda.libraries(), *cuda.kernel_folders(), *cuda.kernel_files())
        hidden = tuple(os.path.realpath(folder) for folder in self.grading.hidden)
        readable = [part for path in paths for part in _without_hidden(path, hidden)]
        self._readable = list(dict.fromkeys(readable))  # /lib may be a link to /usr/lib
        kernel.prctl(kernel.PR_SET_CHILD_SUBREAPER, 1)

    def _close_folders(self) -> None:
        """Gives each folder that some workers may enter its own group; `_groups` reads it there.

        Workers know the paths of all of them: they inherit the zygote's memory.
        """
        folders = (
            (Path(self.run, "submissions"), 0o710),
            (Path(self.run, "trusted"), 0o710),
            *((lane, 0o750) for lane in sorted(Path(self.run, "shared").iterdir())),
        )
        for group, (folder, mode) in enumerate(folders, self.grading.first_uid):
            os.chown(folder, 0, group)
            folder.chmod(mode)

    def clean(self, name: str, keep_scratch: bool, alive: Collection[int]) -> None:
        """Removes what a worker that has ended wrote, and kills processes that it left behind."""
        _kill_strays(alive)
        super().clean(name, keep_scratch, alive)

    def lock_down(self, request: ForkWorker, paths: WorkerPaths) -> WorkerPaths:
        """Locks this process down, in its folder `tmp`; its paths stay the same inside."""
        with_cuda = self.grading.with_devices
        processes = lockdown.PROCESSES + (0 if self.own_uids else _count_processes(os.getuid()))
        lockdown.prefer_oom_kill()
        os.chdir(paths.tmp)
        lockdown.limit_resources(processes, with_cuda)
        readable = [*self._readable, "/proc/self", paths.submission, paths.shared]
        if self.own_uids:
            kernel.drop_bounding_set()
        self.become_worker(request.uid, *_groups(paths))
        lockdown.apply_restrictions(
            readable if self.uses_landlock else None,
            writable=[paths.scratch, paths.tmp, "/dev/null"],
            with_cuda=with_cuda,
            # Others of its user can then open its descriptors, as the look at synced files must.
            # It could also write to its /proc/self/clear_refs, which resets its peak memory:
            # Landlock prevents that.
            dumpable=self.uses_landlock or request.watch == "syncs",
        )
        return paths


class OwnUsers(SharedFilesystem):
    """A user for each worker, Landlock and seccomp."""

    tier = Tier.B


class OwnUsersWithoutLandlock(SharedFilesystem):
    """A user for each worker and seccomp."""

    tier = Tier.B_MINUS
    uses_landlock = False


class SameUser(SharedFilesystem):
    """Landlock and seccomp, under the judge's own user."""

    tier = Tier.C
    needs_root = False

    def make_paths(self, request: ForkWorker) -> WorkerPaths:
        """Copies the submission for each worker.

        The worker's user owns the files, and only seccomp keeps it from changing their times and
        modes, which the next worker could read.
        """
        copy = self._copy_of_submission(request.scratch)
        shutil.copytree(request.submission, copy)
        return super().make_paths(request)._replace(submission=str(copy))

    def clean(self, name: str, keep_scratch: bool, alive: Collection[int]) -> None:
        """Removes the copy of the submission as well."""
        super().clean(name, keep_scratch, alive)
        folders.remove(self._copy_of_submission(name))

    def _copy_of_submission(self, name: str) -> Path:
        return Path(self.run, "tmp", f"{name}-submission")


def _groups(paths: WorkerPaths) -> list[int]:
    """The groups of the two closed folders that a worker may enter."""
    return [folder.stat().st_gid for folder in (Path(paths.submission).parent, Path(paths.shared))]


def _require_reachable(paths: Iterable[str]) -> None:
    """Raises CannotIsolate if another user cannot reach one of these folders."""
    for folder in map(Path, paths):
        for part in (*reversed(folder.parents), folder):
            if not part.stat().st_mode & stat.S_IXOTH:
                raise CannotIsolate(
                    f"other users cannot reach the interpreter in {folder}: {part} is closed to "
                    "them. Install Python and its packages where everybody may read them, such as "
                    f"below /opt, or open the folder: chmod o+x {part}"
                )


def _without_hidden(path: str, hidden: tuple[str, ...]) -> Iterator[str]:
    """Yields paths that together hold all below `path` but the hidden folders; all are resolved.

    Only the path itself, if no hidden folder is below it; nothing, if it is hidden or missing.
    """
    path = os.path.realpath(path)
    if not Path(path).exists() or path in hidden:
        return
    if not any(folder.startswith(path + "/") for folder in hidden):
        yield path
        return
    for inside in sorted(Path(path).iterdir()):
        if not inside.is_symlink():
            yield from _without_hidden(str(inside), hidden)


def _kill_strays(alive: Collection[int]) -> None:
    """Kills child processes of the zygote that are not in `alive`: processes of ended workers.

    seccomp keeps workers from starting any; this is a second line of defence.
    """
    children = Path("/proc/thread-self/children")
    while strays := {int(pid) for pid in children.read_text().split()} - set(alive):
        for pid in strays:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def _count_processes(uid: int) -> int:
    """The number of a user's processes and threads: the kernel's limit counts all of them."""
    count = 0
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if process.stat().st_uid == uid:
                count += sum(1 for _ in Path(process, "task").iterdir())
    return count
