"""What a worker gives up before it sees a line of the submission, in the order that works.

`Sandbox.build_root` runs once, in the zygote, and builds the small root that workers live in;
`Sandbox.enter` runs in each worker, between its fork and its first import of the submission.
Tier A is here: namespaces, a root of its own, a uid of its own, no capabilities, Landlock,
seccomp. The tiers below it, for machines that forbid namespaces, are not built yet.
"""

from __future__ import annotations

import contextlib
import os
import resource
import shutil
import signal
import sys
from dataclasses import dataclass
from pathlib import Path

from grader.worker import kernel, landlock, seccomp

SUBMISSION = "/submission"  # where a worker finds the student's package, read-only
SCRATCH = "/scratch"  # what a worker may write beside /tmp; outlives it, within one test
TMP = "/tmp"
SCRATCH_MIB, TMP_MIB = 256, 64

_LOCKED_MOUNT_FLAGS = {
    os.ST_RDONLY: kernel.MS_RDONLY,
    os.ST_NOSUID: kernel.MS_NOSUID,
    getattr(os, "ST_NODEV", 4): kernel.MS_NODEV,
    getattr(os, "ST_NOEXEC", 8): kernel.MS_NOEXEC,
}
_DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom", "/dev/random")
_LIBRARIES = ("/lib", "/lib32", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache")


class CannotIsolate(RuntimeError):
    """This machine does not offer what the wanted tier needs; the message says what failed."""


@dataclass(frozen=True)
class Sandbox:
    """Where things lie outside, and how far isolation goes.

    Args:
        tier: "A", or "none" for a bare fork without any isolation.
        run: the grading's own folder; `run/root` is made here, `run/scratch` is there.
        hidden: folders that no worker may see, even where a readable one holds them.
    """

    tier: str
    run: str
    hidden: tuple[str, ...]

    @property
    def root(self) -> Path:
        return Path(self.run, "root")

    def scratch(self, name: str) -> Path:
        """A scratch folder's place, outside."""
        return Path(self.run, "scratch", name)

    def make_scratch(self, name: str, uid: int) -> Path:
        """A scratch folder for a worker of this user; an earlier worker's, if there was one.

        In tier A it is a file system of its own: one worker's flood leaves room for the next, and
        removing it never walks what a worker built.
        """
        folder = self.scratch(name)
        with contextlib.suppress(FileExistsError):
            folder.mkdir(mode=0o700)
            if self.tier == "A":
                options = _tmpfs(SCRATCH_MIB, inodes=10_000, uid=uid)
                kernel.mount("tmpfs", str(folder), "tmpfs", _INERT, options)
        return folder

    def remove_scratch(self, name: str) -> None:
        """Removes a scratch folder, however its workers left it."""
        folder = self.scratch(name)
        if self.tier == "A":
            with contextlib.suppress(OSError):  # what stays goes with the zygote's namespace
                kernel.umount(str(folder))
                folder.rmdir()
        else:
            with contextlib.suppress(RecursionError):
                shutil.rmtree(folder, ignore_errors=True)

    # --- once, in the zygote -------------------------------------------------------------------

    def enter_namespaces(self) -> bool:
        """First steps, before any thread exists. Returns whether this process is root outside.

        Without CAP_SYS_ADMIN a user namespace is made first; then the caller goes on in a child,
        as pid 1 of a pid namespace that it owns.

        Raises:
            CannotIsolate: the kernel refuses.
        """
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
                f"tier A needs CAP_SYS_ADMIN or unprivileged user namespaces: {error}"
            ) from error
        return False

    def build_root(self) -> None:
        """Builds the root that workers pivot into: libraries and interpreter, all read-only.

        Raises:
            CannotIsolate: the kernel refuses a mount, or has no Landlock.
        """
        if not landlock.abi():
            raise CannotIsolate("tier A needs Landlock, which this kernel does not offer")
        try:
            self._build_root()
            seccomp.program(1)  # kept for the workers, each of which is pid 1 of its namespace
        except seccomp.Unsupported as error:
            raise CannotIsolate(f"tier A: {error}") from error
        except OSError as error:
            raise CannotIsolate(f"tier A: cannot build a worker's root: {error}") from error

    def _build_root(self) -> None:
        root = str(self.root)
        kernel.mount("none", "/", None, kernel.MS_REC | kernel.MS_PRIVATE)
        self.root.mkdir(mode=0o755)
        kernel.mount("tmpfs", root, "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, "mode=755,size=4m")
        for library in _LIBRARIES:
            self._add(library)
        for prefix in _prefixes():
            self._add(prefix)
        for device in _DEVICES:
            self._bind(device, kernel.MS_NOSUID | kernel.MS_NOEXEC)
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
        inside = self.root / path[1:]
        if Path(path).is_dir():
            inside.mkdir(parents=True, exist_ok=True)
        else:
            inside.parent.mkdir(parents=True, exist_ok=True)
            inside.touch()
        bind(path, str(inside), flags)

    # --- in each worker ------------------------------------------------------------------------

    def enter(
        self, channel: int, output: int, submission: str, exchange: str, scratch: str, uid: int
    ) -> None:
        """Locks this process down; what is left is `channel`, and `output` as stdout and stderr.

        Args:
            submission: the folder that holds the student's package.
            exchange: a folder that tests write and the worker may read, at the same path inside.
            scratch: a folder that the worker may write.
            uid: the worker's own user, or 0 to stay the (unprivileged) user it is.
        """
        os.setsid()
        signal.set_wakeup_fd(-1)
        null = os.open("/dev/null", os.O_RDONLY)
        os.dup2(null, 0)
        os.dup2(output, 1)
        os.dup2(output, 2)
        kernel.close_all_but({0, 1, 2, channel})
        if self.tier == "A":
            Path("/proc/self/oom_score_adj").write_text("1000")
            self._enter_root(submission, exchange, scratch, uid)
        else:
            os.chdir(scratch)
        _limit_resources()
        if self.tier != "A":
            return
        kernel.drop_bounding_set()
        if uid:
            os.setgroups([])
            os.setresgid(uid, uid, uid)
            os.setresuid(uid, uid, uid)
        kernel.drop_capabilities()
        kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
        kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
        landlock.restrict(readable=["/"], writable=[TMP, SCRATCH, "/dev/null"])
        seccomp.install(seccomp.program(os.getpid()))

    def _enter_root(self, submission: str, exchange: str, scratch: str, uid: int) -> None:
        kernel.unshare(kernel.CLONE_NEWNS | kernel.CLONE_NEWIPC | kernel.CLONE_NEWUTS)
        root = str(self.root)
        kernel.mount("proc", root + "/proc", "proc", _INERT)
        kernel.mount("tmpfs", root + TMP, "tmpfs", _INERT, _tmpfs(TMP_MIB, inodes=1000, uid=uid))
        # A checkout or the exchange folder may lie in /tmp, which the mount above has hidden.
        for prefix in _prefixes():
            if prefix.startswith(TMP + "/"):
                self._bind(prefix, _LIBRARY)
        self._bind(exchange, _INERT | kernel.MS_RDONLY)
        bind(submission, root + SUBMISSION, _INERT | kernel.MS_RDONLY)
        bind(scratch, root + SCRATCH, _INERT)
        os.chdir(root)
        kernel.pivot_root(".", ".")
        kernel.umount(".")
        os.chdir(TMP)


_INERT = kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC
_LIBRARY = kernel.MS_RDONLY | kernel.MS_NOSUID | kernel.MS_NODEV


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


def _prefixes() -> list[str]:
    """The folders of the interpreter and its packages; none lies in another of them."""
    paths = {sys.base_prefix, sys.base_exec_prefix, sys.prefix}
    return [p for p in sorted(paths) if not any(p != q and p.startswith(q + "/") for q in paths)]


def _limit_resources() -> None:
    """The limits that hold for every worker; memory and time come with each test."""
    for what, limit in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NOFILE, 128),
        (resource.RLIMIT_NPROC, 64),
        (resource.RLIMIT_FSIZE, SCRATCH_MIB * 2**20),
        (resource.RLIMIT_MEMLOCK, 0),
        (resource.RLIMIT_MSGQUEUE, 0),
    ):
        with contextlib.suppress(ValueError):  # a lower hard limit is in force: even better
            resource.setrlimit(what, (limit, limit))


def limit_memory(mebibytes: int, address_space: bool) -> None:
    """Lets this process take so much memory above what it holds now, and no more.

    `address_space` False limits writable private memory instead, so that a file larger than
    memory can be mapped.
    """
    pages = Path("/proc/self/statm").read_text().split()
    held = int(pages[0 if address_space else 5]) * resource.getpagesize()
    limit = held + mebibytes * 2**20
    resource.setrlimit(
        resource.RLIMIT_AS if address_space else resource.RLIMIT_DATA, (limit, limit)
    )
