"""Runs a command as in a container, with fewer rights than this machine gives.

    python -m tests.harness.container docker [--guard FOLDER] -- python -m grader grade …

whole        everything that this machine allows
docker       root with the capabilities that Docker leaves, under a seccomp filter like Docker's: no
             mounts, no namespaces, no ptrace
no-landlock  the same, on a kernel or an engine without Landlock; only root may write the temporary
             folders and open /dev/zero
user         an ordinary user, who may not create namespaces either

With `--guard` the command can change only this folder: everything else is read-only, and it has its
own temporary folders. An interpreter under a closed home is made reachable. All of this happens in
a mount namespace that ends with the command.
"""

from __future__ import annotations

import argparse
import contextlib
import errno
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Collection
from pathlib import Path

from grader.sandbox import kernel, lockdown, namespaces, seccomp

REPOSITORY = Path(__file__).resolve().parents[2]
PROFILES = {"whole": "A", "docker": "B", "no-landlock": "B-", "user": "C"}  # and their tiers
# Runs a command in its own pid namespace: it sees no other processes.
OWN_PROCESSES = ("unshare", "--pid", "--fork", "--kill-child", "--mount-proc")
_DEVICES = ("null", "full", "random", "urandom")
_SYSTEM = (
    "bin", "boot", "dev", "etc", "lib", "lib32", "lib64", "proc", "run", "sbin", "sys", "tmp", "usr"
)  # fmt: skip
_TEMPORARY = ("/tmp", "/var/tmp", "/dev/shm", "/run")
USER = 54_321  # of profile "user"
# What Docker leaves of root: CHOWN, DAC_OVERRIDE, FOWNER, FSETID, KILL, SETGID, SETUID, SETPCAP,
# NET_BIND_SERVICE, NET_RAW, SYS_CHROOT, MKNOD, AUDIT_WRITE and SETFCAP.
_KEPT = (0, 1, 3, 4, 5, 6, 7, 8, 10, 13, 18, 27, 29, 31)
# x86-64 numbers of system calls that Docker's filter denies without CAP_SYS_ADMIN, as far as they
# matter here.
_DENIED = {
    "ptrace": 101, "personality": 135, "pivot_root": 155, "chroot": 161, "mount": 165,
    "umount2": 166, "sethostname": 170, "unshare": 272, "setns": 308, "process_vm_readv": 310,
    "process_vm_writev": 311, "bpf": 321, "userfaultfd": 323, "perf_event_open": 298,
    "open_tree": 428, "move_mount": 429, "fsopen": 430, "fsconfig": 431, "fsmount": 432,
    "mount_setattr": 442, "io_uring_setup": 425, "keyctl": 250, "add_key": 248,
}  # fmt: skip
_LANDLOCK = (444, 445, 446)
_CLONE, _CLONE3 = 56, 435
_CLONE_NAMESPACES = 0x7E020080  # every CLONE_NEW* flag


def enter(profile: str, guarded: Path | None = None) -> None:
    """Puts this process into the container; it must be root with all capabilities.

    Raises:
        OSError: the kernel refuses.
    """
    kernel.unshare(kernel.CLONE_NEWNS)
    kernel.mount("none", "/", None, kernel.MS_REC | kernel.MS_PRIVATE)
    if guarded is not None:
        guard(guarded)
    if profile == "whole":
        if guarded is not None:  # without its own root, tier A has the machine's
            _make_interpreter_reachable(guarded)
        return
    if profile == "no-landlock":
        _hide_other_folders()
    if profile in ("docker", "no-landlock"):
        _hide_other_devices(0o666 if profile == "docker" else 0o660)
        _cover_temporary("1777" if profile == "docker" else "711")
    _make_interpreter_reachable()
    if profile == "user":
        os.setgroups([])
        os.setresgid(USER, USER, USER)
        os.setresuid(USER, USER, USER)
    else:
        _keep_capabilities()
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    seccomp.install(_filter(landlock=profile != "no-landlock"))


def guard(folder: Path) -> None:
    """Makes everything read-only in this mount namespace, but the folder and new temporary folders.

    Raises:
        OSError: something stayed writable.
    """
    kernel.mount(str(folder), str(folder), None, kernel.MS_BIND)  # a mount that can be writable
    for point in kernel.mount_points():
        if not point.startswith("/proc"):
            with contextlib.suppress(OSError):  # another mount may hide it
                namespaces._remount(point, kernel.MS_RDONLY)
    places = [place for place in _TEMPORARY if Path(place).is_dir()]
    _cover(places, "mode=1777", folder, Path.cwd())
    kernel.mount("none", str(folder), None, kernel.MS_REMOUNT | kernel.MS_BIND)
    for place in (
        "/",
        "/usr",
        "/etc",
        str(Path.home()),
        *lockdown.interpreter_folders(),
        os.__file__,
    ):
        if not os.statvfs(place).f_flag & os.ST_RDONLY:
            raise OSError(errno.EROFS, f"{place} could not be made read-only")


def _cover_temporary(mode: str) -> None:
    """Gives the container its own temporary folders."""
    here = Path.cwd()
    _cover(_TEMPORARY, f"mode={mode}", here)
    _cover(["/run/lock"], f"mode={mode}", here)
    os.chdir(here)


def _hide_other_folders() -> None:
    """Hides all folders but the system's and this repository: an image has no other copy of it."""
    here = Path.cwd()
    others = [
        str(place)
        for place in Path("/").iterdir()
        if place.is_dir() and not place.is_symlink() and place.name not in _SYSTEM
    ]
    _cover(others, "mode=755,size=1m", here)
    os.chdir(here)


def _cover(places: Collection[str], options: str, *folders: Path) -> None:
    """Mounts empty file systems over folders, but keeps `folders` and the interpreter's visible.

    The repository and its .venv may be below a temporary folder.
    """
    kept = (*folders, *map(Path, lockdown.interpreter_folders()))
    held = {path: os.open(path, os.O_PATH) for path in kept}
    for place in places:
        Path(place).mkdir(parents=True, exist_ok=True)
        kernel.mount("tmpfs", place, "tmpfs", kernel.MS_NOSUID, options)
    for path, descriptor in held.items():
        if any(path.is_relative_to(place) for place in places):
            _mount_back(descriptor, path)
        else:
            os.close(descriptor)


def _hide_other_devices(mode_of_zero: int) -> None:
    """Mounts a /dev as a container has it, with a /dev/zero of its own: packs change its mode."""
    held = {name: os.open(f"/dev/{name}", os.O_PATH) for name in _DEVICES}
    kernel.mount("tmpfs", "/dev", "tmpfs", kernel.MS_NOSUID, "mode=755,size=1m")
    for name, descriptor in held.items():
        Path("/dev", name).touch()
        kernel.mount(f"/proc/self/fd/{descriptor}", f"/dev/{name}", None, kernel.MS_BIND)
        os.close(descriptor)
    Path("/dev/shm").mkdir(mode=0o711)
    os.mknod("/dev/zero", stat.S_IFCHR, os.makedev(1, 5))
    Path("/dev/zero").chmod(mode_of_zero)


def _make_interpreter_reachable(*folders: Path) -> None:
    """Covers each topmost closed folder above it by an open one that has it, and these, inside."""
    here = Path.cwd()
    for prefix in map(Path, lockdown.interpreter_folders()):
        for place in reversed(prefix.parents):
            if not place.stat().st_mode & stat.S_IXOTH:
                _cover([str(place)], "mode=755,size=1m", here, *folders)
                os.chdir(here)
                namespaces._remount(str(place), kernel.MS_RDONLY)
                break


def _mount_back(held: int, folder: Path) -> None:
    """Mounts a folder, held open by a descriptor, at its own path, which another mount hides."""
    strict = os.umask(0o022)
    folder.mkdir(parents=True, exist_ok=True)
    os.umask(strict)
    kernel.mount(f"/proc/self/fd/{held}", str(folder), None, kernel.MS_BIND)
    os.close(held)


def _keep_capabilities() -> None:
    for capability in range(64):
        if capability not in _KEPT:
            try:
                kernel.prctl(kernel.PR_CAPBSET_DROP, capability)
            except OSError:
                break
    kernel.set_capabilities(sum(1 << capability for capability in _KEPT))


def _filter(landlock: bool) -> bytes:
    denied = seccomp._ERRNO | errno.EPERM
    lines = [*seccomp._load(seccomp._NUMBER_AT)]
    for number in _DENIED.values():
        lines += seccomp._return_if(seccomp._JUMP_EQUAL, number, denied)
    if not landlock:
        for number in _LANDLOCK:
            lines += seccomp._return_if(seccomp._JUMP_EQUAL, number, seccomp._ERRNO | errno.ENOSYS)
    lines += seccomp._return_if(seccomp._JUMP_EQUAL, _CLONE3, seccomp._ERRNO | errno.ENOSYS)
    body = [
        *seccomp._load(seccomp._argument(0)),
        *seccomp._return_if(seccomp._JUMP_ANY_BIT, _CLONE_NAMESPACES, denied),
    ]
    lines += [seccomp._instruction(seccomp._JUMP_EQUAL, _CLONE, 0, len(body)), *body]
    return b"".join([*lines, seccomp._return(seccomp._ALLOW)])


FOR_TESTS = "harness", "submissions"  # what grading does not need


def copy_of_repository(folder: Path, *left_out: str) -> None:
    """Copies what grading and the harness's tests need, but for files and folders of some names."""
    # The first are what another process is writing, the second a thousand files that nobody reads.
    ignored = shutil.ignore_patterns("*.pyc.*", "wrong", *left_out)
    for name in ("assignment", "grader", "solutions", "tests"):  # with what Python has compiled
        shutil.copytree(REPOSITORY / name, folder / name, ignore=ignored)
    shutil.copy(REPOSITORY / "pyproject.toml", folder)


def environment(repository: Path) -> dict[str, str]:
    """The environment for a command on a repository, without variables that pytest sets here."""
    outside = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")}
    return {**outside, "PYTHONPATH": str(repository), "PYTHONDONTWRITEBYTECODE": "1"}


def run(
    profile: str, where: Path, *command: str, guarded: bool = False, seconds: float = 1800
) -> subprocess.CompletedProcess[str]:
    """Runs a Python module in a container of this profile, on the repository in `where`.

    Or, after "-c", a program. With `guarded` it can change only `where`.
    """
    guard = ("--guard", str(where)) if guarded else ()
    contained = [sys.executable, "-m", "tests.harness.container", profile, *guard, "--"]
    if profile in ("docker", "no-landlock"):
        contained[:0] = OWN_PROCESSES
    return subprocess.run(
        [*contained, sys.executable, *(() if command[0] == "-c" else ("-m",)), *command],
        cwd=where,
        env=environment(where),
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )


def main() -> None:
    """Enters the container and executes the command."""
    parser = argparse.ArgumentParser(usage=(__doc__ or "").partition("\n\n")[2])
    parser.add_argument("profile", choices=PROFILES)
    parser.add_argument("--guard", type=Path, metavar="FOLDER")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    enter(options.profile, options.guard)
    os.execvp(options.command[0], options.command)


if __name__ == "__main__":
    main()
