"""Tier A: namespaces and a root file system for each worker, besides all that lower tiers have."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Collection
from pathlib import Path

from grader.isolation import SCRATCH_FILES, SCRATCH_MIB, TMP_FILES, TMP_MIB, CannotIsolate, Tier
from grader.sandbox import cuda, kernel, landlock, lockdown, seccomp
from grader.sandbox.sandbox import Sandbox, WorkerPaths
from grader.wire.messages import ForkWorker, Grading

SUBMISSION, SCRATCH, TMP = "/submission", "/scratch", "/tmp"  # a worker's folders, as it sees them

_DATA_FLAGS = kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC
_READ_ONLY_DATA_FLAGS = _DATA_FLAGS | kernel.MS_RDONLY
_LIBRARY_FLAGS = kernel.MS_RDONLY | kernel.MS_NOSUID | kernel.MS_NODEV
_DEVICE_FLAGS = kernel.MS_NOSUID | kernel.MS_NOEXEC
# A remount must keep these flags of a mount: in a user namespace the kernel refuses to drop them.
_LOCKED_FLAGS = kernel.MS_RDONLY | kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC


class Namespaces(Sandbox):
    """Builds a small root file system once, and locks each worker into it.

    The root is built in `run/root`. With CAP_SYS_ADMIN each worker has a user and a group of its
    own.
    """

    tier = Tier.A

    def __init__(self, grading: Grading) -> None:
        super().__init__(grading)
        self.root = Path(self.run, "root")
        folders = lockdown.interpreter_folders()
        self._interpreter_in_tmp = [path for path in folders if path.startswith(TMP + "/")]
        self._pid_namespace = -1

    # --- once, in the zygote -------------------------------------------------------------------

    def prepare(self) -> None:
        """Enters namespaces and builds the root; before any thread exists.

        Without CAP_SYS_ADMIN it first creates a user namespace, and the code goes on in a child,
        which is pid 1 of a new pid namespace; the caller's process only waits for that child.
        """
        if not landlock.abi():
            raise CannotIsolate("this kernel does not offer Landlock, or refuses it")
        privileged = self._enter_namespaces()
        self.own_uids = privileged and os.getuid() == 0
        try:
            self._build_root()
            seccomp.program(1)  # cached for the workers: each is pid 1 of its namespace
        except OSError as error:
            raise CannotIsolate(f"a worker's root cannot be built: {error}") from error
        self._pid_namespace = os.open("/proc/self/ns/pid", os.O_RDONLY | os.O_CLOEXEC)
        kernel.drop_bounding_set()  # for all workers: the zygote executes no program

    def _enter_namespaces(self) -> bool:
        """Enters mount and network namespaces; False if only a child in a user namespace could."""
        uid, gid = os.getuid(), os.getgid()
        spaces = kernel.CLONE_NEWNS | kernel.CLONE_NEWNET
        with contextlib.suppress(PermissionError):
            kernel.unshare(spaces)
            return True
        try:
            kernel.unshare(spaces | kernel.CLONE_NEWUSER | kernel.CLONE_NEWPID)
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
        """Builds the workers' root, read-only, in this process's own mount namespace."""
        root = str(self.root)
        kernel.mount("none", "/", None, kernel.MS_REC | kernel.MS_PRIVATE)
        self.root.mkdir(mode=0o755)
        kernel.mount("tmpfs", root, "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, "mode=755,size=4m")
        with_devices = self.grading.with_devices
        for path in (*lockdown.LIBRARIES, *lockdown.interpreter_folders()):
            self._add_library(path)
        for device in (*lockdown.DEVICES, *(cuda.device_nodes() if with_devices else ())):
            self._bind_inside(device, _DEVICE_FLAGS)
        if with_devices:
            for path in (*cuda.libraries(), *cuda.kernel_folders()):
                self._add_library(path)
        for folder in self.grading.hidden:
            inside = Path(root + folder)
            if inside.is_dir():
                kernel.mount("tmpfs", str(inside), "tmpfs", _READ_ONLY_DATA_FLAGS, "mode=755")
        # In memory, since each worker's folder is made and removed here.
        scratch = f"{self.run}/scratch"
        kernel.mount("tmpfs", scratch, "tmpfs", _DATA_FLAGS, "mode=711,size=4m")
        shared = map(str, Path(self.run, "shared").iterdir())
        for mount_point in ("/proc", TMP, SUBMISSION, SCRATCH, *shared):
            self.root.joinpath(mount_point[1:]).mkdir(parents=True, exist_ok=True)
        _remount(root, _LIBRARY_FLAGS)

    def _add_library(self, path: str) -> None:
        """Makes a path of the machine readable inside; a link stays a link."""
        inside = self.root / path[1:]
        if Path(path).is_symlink() and not inside.is_symlink():  # else it came with its folder
            inside.parent.mkdir(parents=True, exist_ok=True)
            inside.symlink_to(Path(path).readlink())
            path = os.path.realpath(path)
        if Path(path).exists() and not (self.root / path[1:]).exists():
            self._bind_inside(path, _LIBRARY_FLAGS, recursive=self.grading.with_devices)

    def _bind_inside(self, path: str, flags: int, recursive: bool = False) -> None:
        """Binds a path of the machine at the same path below the root.

        With `recursive`, what is mounted below the path comes along, read-only: containers mount
        the driver's libraries as single files.
        """
        inside = f"{self.root}{path}"
        if os.path.isdir(path):
            os.makedirs(inside, exist_ok=True)
        else:
            os.makedirs(os.path.dirname(inside), exist_ok=True)
            Path(inside).touch()
        if recursive:
            kernel.mount(path, inside, None, kernel.MS_BIND | kernel.MS_REC)
            kernel.restrict_mounts(inside, _LIBRARY_FLAGS)
        else:
            bind_mount(path, inside, flags)

    # --- for each worker, in the zygote --------------------------------------------------------

    def make_paths(self, request: ForkWorker) -> WorkerPaths:
        """Mounts the scratch folder, unless an earlier worker of the same test has one.

        It is a separate file system: filling it takes no space from other workers, and removing it
        is one unmount, however many files it holds. The worker mounts its own `tmp`.
        """
        folder = f"{self.run}/scratch/{request.scratch}"
        with contextlib.suppress(FileExistsError):
            os.mkdir(folder, 0o700)
            options = _tmpfs_options(SCRATCH_MIB, SCRATCH_FILES, request.uid)
            kernel.mount("tmpfs", folder, "tmpfs", _DATA_FLAGS, options)
        return WorkerPaths(request.submission, request.shared, folder, TMP)

    def become_worker(self, uid: int, *groups: int) -> None:
        """Each worker has a group of its own, too."""
        super().become_worker(uid, uid)

    def before_worker_fork(self) -> None:
        """The next child is pid 1 of a new pid namespace: what it starts ends with it."""
        kernel.setns(self._pid_namespace, kernel.CLONE_NEWPID)
        kernel.unshare(kernel.CLONE_NEWPID)

    def before_zygote_fork(self) -> None:
        """The next child is in this process's own pid namespace."""
        kernel.setns(self._pid_namespace, kernel.CLONE_NEWPID)

    def clean(self, name: str, keep_scratch: bool, alive: Collection[int]) -> None:
        """Unmounts the worker's scratch folder; its processes and its other mounts are gone."""
        if not keep_scratch:
            with contextlib.suppress(OSError):  # what stays goes with the zygote's namespace
                folder = f"{self.run}/scratch/{name}"
                kernel.umount(folder)
                os.rmdir(folder)

    def tear_down(self) -> None:
        """Unmounts everything below the grading's folder."""
        for mount_point in reversed(kernel.mount_points()):
            if mount_point.startswith(self.run + "/"):
                kernel.umount(mount_point)

    # --- in each worker ------------------------------------------------------------------------

    def lock_down(self, request: ForkWorker, paths: WorkerPaths) -> WorkerPaths:
        """Locks this process down; returns its paths as it sees them now."""
        with_devices = self.grading.with_devices
        lockdown.prefer_oom_kill()
        self._enter_root(request, paths)
        lockdown.limit_resources(with_cuda=with_devices)
        self.become_worker(request.uid)
        writable = [TMP, SCRATCH, "/dev/null"]
        lockdown.apply_restrictions(["/"], writable, with_devices, request.watch == "syncs")
        return WorkerPaths(SUBMISSION, paths.shared, SCRATCH, TMP)

    def _enter_root(self, request: ForkWorker, paths: WorkerPaths) -> None:
        """Enters the worker's own namespaces and root, in which it finds its own /proc and /tmp."""
        kernel.unshare(kernel.CLONE_NEWNS | kernel.CLONE_NEWIPC | kernel.CLONE_NEWUTS)
        root = str(self.root)
        # Only processes: by a counter of the whole machine one worker could signal to another. A
        # driver, though, reads of its devices there.
        shown = "" if self.grading.with_devices else "subset=pid"
        kernel.mount("proc", root + "/proc", "proc", _DATA_FLAGS, shown)
        options = _tmpfs_options(TMP_MIB, TMP_FILES, request.uid)
        kernel.mount("tmpfs", root + TMP, "tmpfs", _DATA_FLAGS, options)
        # The mount above hides an interpreter or a shared folder that is below /tmp.
        for folder in self._interpreter_in_tmp:
            self._bind_inside(folder, _LIBRARY_FLAGS)
        self._bind_inside(paths.shared, _READ_ONLY_DATA_FLAGS)
        bind_mount(paths.submission, root + SUBMISSION, _READ_ONLY_DATA_FLAGS)
        bind_mount(paths.scratch, root + SCRATCH, _DATA_FLAGS)
        os.chdir(root)
        kernel.pivot_root(".", ".")
        kernel.umount(".")
        os.chdir(TMP)


def _become_init() -> None:
    """Goes on in a child that is pid 1 of the new pid namespace; the parent only waits for it."""
    child = os.fork()
    if child:
        # With these descriptors open here, the judge would never see an end of file.
        os.closerange(0, 256)
        _, status = os.waitpid(child, 0)
        os._exit(os.waitstatus_to_exitcode(status) & 0xFF)
    kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)


def _tmpfs_options(mebibytes: int, inodes: int, uid: int) -> str:
    """Options of a bounded tmpfs that belongs to `uid`, or to the mounting user if that is 0."""
    owner = f",uid={uid},gid={uid}" if uid else ""
    return f"mode=700,size={mebibytes}m,nr_inodes={inodes}{owner}"


def bind_mount(source: str, target: str, flags: int) -> None:
    """Binds `source` at `target` with these flags; the kernel needs two calls for that."""
    try:
        kernel.mount(source, target, None, kernel.MS_BIND)
    except OSError:  # in a user namespace a mount cannot be separated from those below it
        kernel.mount(source, target, None, kernel.MS_BIND | kernel.MS_REC)
    _remount(target, flags)


def _remount(target: str, flags: int) -> None:
    flags |= os.statvfs(target).f_flag & _LOCKED_FLAGS  # the same bits as in mount(2)
    kernel.mount("none", target, None, kernel.MS_REMOUNT | kernel.MS_BIND | flags)
