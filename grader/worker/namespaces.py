"""Tier A: namespaces, a root of its own for each worker, and everything that lower tiers have."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Collection
from pathlib import Path

from grader.worker import cuda, kernel, landlock, lockdown, seccomp
from grader.worker.lockdown import CannotIsolate, Places

SUBMISSION, SCRATCH, TMP = "/submission", "/scratch", "/tmp"  # where a worker finds its places

_INERT = kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC
_LIBRARY = kernel.MS_RDONLY | kernel.MS_NOSUID | kernel.MS_NODEV
_LOCKED_MOUNT_FLAGS = {
    os.ST_RDONLY: kernel.MS_RDONLY,
    os.ST_NOSUID: kernel.MS_NOSUID,
    getattr(os, "ST_NODEV", 4): kernel.MS_NODEV,
    getattr(os, "ST_NOEXEC", 8): kernel.MS_NOEXEC,
}


class Namespaces:
    """Builds the small root that workers live in, once; locks each of them into it.

    Args:
        run: the grading's own folder; `run/root` is made here, `run/scratch` is there.
        hidden: folders that no worker may see, even where a readable one holds them.
        gid: not needed here: each worker has a group of its own.
    """

    tier = "A"
    common: tuple[str, ...] = ()  # of its root nothing is anybody else's

    def __init__(self, run: str, hidden: tuple[str, ...], gid: int) -> None:
        self.run, self.hidden = run, hidden
        self.root = Path(run, "root")
        self.own_uids = False
        self._in_tmp = [p for p in lockdown.prefixes() if p.startswith(TMP + "/")]
        self._pid_namespace = -1

    # --- once, in the zygote -------------------------------------------------------------------

    def prepare(self) -> None:
        """Enters namespaces and builds the root; before any thread exists.

        Without CAP_SYS_ADMIN a user namespace is made first; then this goes on in a child, as pid 1
        of a pid namespace that it owns, and the caller's process only waits for it.

        Raises:
            CannotIsolate: the kernel refuses, or has no Landlock.
        """
        if not landlock.abi():
            raise CannotIsolate("this kernel does not offer Landlock, or refuses it")
        privileged = self._enter_namespaces()
        self.own_uids = privileged and os.getuid() == 0
        try:
            self._build_root()
            seccomp.program(1)  # kept for the workers, each of which is pid 1 of its namespace
        except seccomp.Unsupported as error:
            raise CannotIsolate(str(error)) from error
        except OSError as error:
            raise CannotIsolate(f"a worker's root cannot be built: {error}") from error
        self._pid_namespace = os.open("/proc/self/ns/pid", os.O_RDONLY | os.O_CLOEXEC)
        kernel.drop_bounding_set()  # for all workers: here nothing is ever executed

    def _enter_namespaces(self) -> bool:
        """Whether that took no user namespace."""
        uid, gid = os.getuid(), os.getgid()
        try:
            kernel.unshare(kernel.CLONE_NEWNS | kernel.CLONE_NEWNET)
        except PermissionError:
            pass
        else:
            return True
        try:
            kernel.unshare(
                kernel.CLONE_NEWUSER
                | kernel.CLONE_NEWNS
                | kernel.CLONE_NEWNET
                | kernel.CLONE_NEWPID
            )
            Path("/proc/self/setgroups").write_text("deny")
            Path("/proc/self/uid_map").write_text(f"{uid} {uid} 1")
            Path("/proc/self/gid_map").write_text(f"{gid} {gid} 1")
        except OSError as error:
            raise CannotIsolate(
                f"it needs CAP_SYS_ADMIN or unprivileged user namespaces: {error}"
            ) from error
        _become_init()
        return False

    def _build_root(self) -> None:
        root = str(self.root)
        kernel.mount("none", "/", None, kernel.MS_REC | kernel.MS_PRIVATE)
        self.root.mkdir(mode=0o755)
        kernel.mount("tmpfs", root, "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, "mode=755,size=4m")
        for library in lockdown.LIBRARIES:
            self._add(library)
        for prefix in lockdown.prefixes():
            self._add(prefix)
        for device in lockdown.DEVICES:
            self._bind(device, kernel.MS_NOSUID | kernel.MS_NOEXEC)
        for node in cuda.nodes():
            self._bind(node, kernel.MS_NOSUID | kernel.MS_NOEXEC)
        for fact in cuda.facts():
            self._bind(fact, _INERT | kernel.MS_RDONLY)
        for folder in self.hidden:
            inside = Path(root + folder)
            if inside.is_dir():
                kernel.mount("tmpfs", str(inside), "tmpfs", _INERT | kernel.MS_RDONLY, "mode=755")
        exchange = map(str, Path(self.run, "exchange").iterdir())
        for place in ("/proc", TMP, SUBMISSION, SCRATCH, *exchange):
            self.root.joinpath(place[1:]).mkdir(parents=True, exist_ok=True)
        _remount(root, kernel.MS_RDONLY | kernel.MS_NOSUID | kernel.MS_NODEV)

    def _add(self, path: str) -> None:
        """Makes a path of the machine readable inside; a link stays a link."""
        if Path(path).is_symlink():
            inside = self.root / path[1:]
            inside.parent.mkdir(parents=True, exist_ok=True)
            inside.symlink_to(Path(path).readlink())
            path = os.path.realpath(path)
        if Path(path).exists() and not (self.root / path[1:]).exists():
            self._bind(path, _LIBRARY)

    def _bind(self, path: str, flags: int) -> None:
        inside = f"{self.root}{path}"
        folder = os.path.isdir(path)  # noqa: PTH112 - here and below: a Path costs each worker pages
        os.makedirs(inside if folder else os.path.dirname(inside), exist_ok=True)  # noqa: PTH103, PTH120
        if not folder:
            Path(inside).touch()
        bind(path, inside, flags)

    # --- for each worker, in the zygote ---------------------------------------------------------

    def make_scratch(self, name: str, uid: int) -> str:
        """A scratch folder for a worker of this user; an earlier worker's, if there was one.

        It is a file system of its own: one worker's flood leaves room for the next, and removing it
        never walks what a worker built.
        """
        folder = Path(self.run, "scratch", name)
        with contextlib.suppress(FileExistsError):
            folder.mkdir(mode=0o700)
            options = _tmpfs(lockdown.SCRATCH_MIB, lockdown.SCRATCH_FILES, uid)
            kernel.mount("tmpfs", str(folder), "tmpfs", _INERT, options)
        return str(folder)

    def make_tmp(self, name: str, uid: int) -> str:
        """Nothing to make: the worker mounts its own."""
        return TMP

    def make_submission(self, submission: str, name: str) -> str:
        """The staged submission: a worker gets it as a mount that nobody can change."""
        return submission

    def about_to_fork(self) -> None:
        """The next child is pid 1 of a new pid namespace: all it starts ends with it."""
        kernel.setns(self._pid_namespace, kernel.CLONE_NEWPID)
        kernel.unshare(kernel.CLONE_NEWPID)

    def about_to_twin(self) -> None:
        """The next child is of this process's own pid namespace."""
        kernel.setns(self._pid_namespace, kernel.CLONE_NEWPID)

    def clean(self, name: str, keep_scratch: bool, alive: Collection[int]) -> None:
        """Removes what a worker that is gone wrote; what it started ended with it."""
        if not keep_scratch:
            with contextlib.suppress(OSError):  # what stays goes with the zygote's namespace
                folder = Path(self.run, "scratch", name)
                kernel.umount(str(folder))
                folder.rmdir()

    def leave(self) -> None:
        """Lets go of what was mounted below the grading's folder."""
        for place in reversed(kernel.mount_points()):
            if place.startswith(self.run + "/"):
                kernel.umount(place)

    # --- in each worker -------------------------------------------------------------------------

    def enter(
        self, channel: int, output: int, places: Places, uid: int, with_cuda: bool = False
    ) -> Places:
        """Locks this process down; returns its places as it sees them now."""
        lockdown.detach(channel, output)
        lockdown.go_first()
        self._enter_root(places, uid)
        lockdown.limit_resources(with_cuda=with_cuda)
        if uid:
            lockdown.become(uid, uid)
        lockdown.seal(["/"], [TMP, SCRATCH, "/dev/null"], with_cuda)
        return Places(SUBMISSION, places.exchange, SCRATCH, TMP)

    def _enter_root(self, places: Places, uid: int) -> None:
        kernel.unshare(kernel.CLONE_NEWNS | kernel.CLONE_NEWIPC | kernel.CLONE_NEWUTS)
        root = str(self.root)
        kernel.mount("proc", root + "/proc", "proc", _INERT)
        options = _tmpfs(lockdown.TMP_MIB, lockdown.TMP_FILES, uid)
        kernel.mount("tmpfs", root + TMP, "tmpfs", _INERT, options)
        # A checkout or the exchange folder may lie in /tmp, which the mount above has hidden.
        for prefix in self._in_tmp:
            self._bind(prefix, _LIBRARY)
        self._bind(places.exchange, _INERT | kernel.MS_RDONLY)
        bind(places.submission, root + SUBMISSION, _INERT | kernel.MS_RDONLY)
        bind(places.scratch, root + SCRATCH, _INERT)
        os.chdir(root)
        kernel.pivot_root(".", ".")
        kernel.umount(".")
        os.chdir(TMP)


def _become_init() -> None:
    """Goes on in a child that is pid 1 of the new pid namespace; the parent only waits."""
    child = os.fork()
    if child:
        # Descriptors must go, or the judge would wait for an end of file that never comes.
        os.closerange(0, 256)
        _, status = os.waitpid(child, 0)
        os._exit(os.waitstatus_to_exitcode(status) & 0xFF)
    kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)


def _tmpfs(mebibytes: int, inodes: int, uid: int) -> str:
    """Options of a bounded tmpfs that belongs to `uid`, or to whoever mounts it if that is 0."""
    owner = f",uid={uid},gid={uid}" if uid else ""
    return f"mode=700,size={mebibytes}m,nr_inodes={inodes}{owner}"


def bind(source: str, target: str, flags: int) -> None:
    """Binds `source` at `target` under these flags; the kernel wants two calls for that."""
    try:
        kernel.mount(source, target, None, kernel.MS_BIND)
    except OSError:  # in a user namespace a mount may not be parted from what is mounted below it
        kernel.mount(source, target, None, kernel.MS_BIND | kernel.MS_REC)
    _remount(target, flags)


def _remount(target: str, flags: int) -> None:
    present = os.statvfs(target).f_flag
    for bit, flag in _LOCKED_MOUNT_FLAGS.items():
        flags |= flag if present & bit else 0
    kernel.mount("none", target, None, kernel.MS_REMOUNT | kernel.MS_BIND | flags)
