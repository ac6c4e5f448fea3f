"""The control group of a grading's workers, in both versions of control groups."""

import errno
import os
import signal
from pathlib import Path

import pytest

from grader.sandbox import cgroups
from grader.sandbox.lockdown import prefer_oom_kill

MEBIBYTE = 2**20


def test_memory_bomb_kills_the_worker_and_not_the_zygote(own_group):
    def bomb(_):
        child = os.fork()
        if child == 0:
            prefer_oom_kill()
            held = [bytearray(b"x" * 16 * MEBIBYTE) for _ in range(64)]
            os._exit(len(held) and 0)
        return os.WTERMSIG(os.waitpid(child, 0)[1])

    assert own_group(bomb) == str(int(signal.SIGKILL))
    assert own_group.left() == []


def test_fork_bomb_is_stopped(own_group):
    def bomb(_):
        children = []
        try:
            for _ in range(100):
                if not (child := os.fork()):
                    signal.pause()
                children.append(child)
        except BlockingIOError:
            return f"{len(children)} processes"
        finally:
            for child in children:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)

    assert own_group(bomb) == "39 processes"
    assert own_group.left() == []


def test_group_of_a_killed_zygote_is_removed_by_the_next(own_group):
    def dies(_):
        os.kill(os.getpid(), signal.SIGKILL)

    own_group(dies)
    left = own_group.left  # groups of the killed process
    assert left()
    own_group(lambda _: None)
    assert left() == []


# --- other machines' hierarchies, as ordinary files ---------------------------------------------


def hierarchy(folder, **files):
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text)
    return folder


def own_groups(tmp_path, mounts, groups):
    for name, lines in (("mountinfo", mounts), ("cgroup", groups)):
        (tmp_path / name).write_bytes("".join(f"{line}\n" for line in lines).encode())
    return list(cgroups._own_groups(tmp_path / "mountinfo", tmp_path / "cgroup"))


V2 = "30 23 0:28 / {} rw - cgroup2 cgroup2 rw"


def test_version_2_enables_controllers_for_groups_below(tmp_path, monkeypatch):
    root = hierarchy(tmp_path / "fs")
    control = {"cgroup__controllers": "cpu memory pids\n", "cgroup__subtree_control": "memory\n"}
    hierarchy(root / "job", **control)

    def kernel(file, text):
        assert text == "+pids"
        file.write_bytes(b"memory pids\n")

    monkeypatch.setattr(Path, "write_text", kernel)
    (place,) = own_groups(tmp_path, [V2.format(root)], ["0::/job"])
    assert place == cgroups._OwnGroup(root / "job", ("memory", "pids"), 2)


@pytest.mark.parametrize(
    ("offered", "enabled", "ours"), [("memory pids", "pids", ("pids",)), ("hugetlb", "", ())]
)
def test_version_2_enables_nothing_where_processes_are_in_the_group(
    tmp_path, monkeypatch, offered, enabled, ours
):
    """Without a controller of ours it is left out"""
    control = {"cgroup__controllers": offered, "cgroup__subtree_control": enabled}
    root = hierarchy(tmp_path / "fs", **control)

    def kernel(file, text):
        raise OSError(errno.EBUSY, "Device or resource busy")

    monkeypatch.setattr(Path, "write_text", kernel)
    places = [cgroups._OwnGroup(root, ours, 2)] if ours else []
    assert own_groups(tmp_path, [V2.format(root)], ["0::/"]) == places


def test_version_2_limits_are_written_to_its_files(tmp_path, monkeypatch):
    root = hierarchy(
        tmp_path / "fs", cgroup__controllers="memory pids", cgroup__subtree_control="memory pids"
    )
    place = cgroups._OwnGroup(root, ("memory", "pids"), 2)
    monkeypatch.setattr(cgroups, "_own_groups", lambda: iter([place]))
    group = cgroups.join(5 * MEBIBYTE, 7)
    assert group.summary == "memory (version 2), pids (version 2)"
    (made,) = root.glob("grader-*")
    assert {file.name: file.read_text() for file in made.iterdir()} == {
        "memory.max": str(5 * MEBIBYTE),
        "memory.swap.max": "0",
        "pids.max": "7",
        "cgroup.procs": str(os.getpid()),
    }


def test_mount_that_shows_only_a_part_of_the_hierarchy_is_understood(tmp_path):
    root = hierarchy(tmp_path / "memory")
    line = f"35 31 0:32 /docker/abc {root} rw - cgroup cgroup rw,memory"
    (place,) = own_groups(tmp_path, [line], ["4:memory:/docker/abc/inner"])
    assert place.folder == root / "inner"
    (place,) = own_groups(tmp_path, [line], ["4:memory:/"])  # a namespace of its own
    assert place == cgroups._OwnGroup(root, ("memory",), 1)


def test_summary_gives_the_reason_why_nothing_is_limited(tmp_path, monkeypatch):
    place = cgroups._OwnGroup(tmp_path / "missing", ("memory",), 1)
    monkeypatch.setattr(cgroups, "_own_groups", lambda: iter([place]))
    assert cgroups.join(1, 1).summary == "none: memory: ENOENT"
    monkeypatch.setattr(cgroups, "_own_groups", lambda: iter([]))
    assert cgroups.join(1, 1).summary == "none: no hierarchy is mounted here"
