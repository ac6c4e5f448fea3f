"""Files that a process keeps without a name are measured, whether open or only mapped."""

import os
from pathlib import Path

from grader.isolation import DISK_MIB, SCRATCH_MIB
from grader.worker.unlinked import unlinked_bytes

ITSELF = Path("/proc/self")


def test_an_open_file_counts_once_it_has_no_name(tmp_path):
    path, below = tmp_path / "file", f"{tmp_path}/"
    with path.open("wb", buffering=0) as file:
        file.write(bytes(2**20))
        before = unlinked_bytes(ITSELF, below)
        path.unlink()
        again = os.dup(file.fileno())
        assert unlinked_bytes(ITSELF, below) - before == os.fstat(again).st_blocks * 512 > 0
    os.close(again)
    assert unlinked_bytes(ITSELF, below) == before


def test_a_file_that_is_only_mapped_counts_as_much_as_it_may_have(tmp_path):
    lines = [
        f"7f00-7f01 r--p 00000000 08:01 7      {tmp_path}/a name (deleted)",
        f"7f01-7f02 r--p 00001000 08:01 7      {tmp_path}/a name (deleted)",
        f"7f02-7f03 r--p 00000000 08:01 8      {tmp_path}/present",
        "7f03-7f04 r--p 00000000 08:01 9      /usr/lib/updated.so (deleted)",
        "7f04-7f05 rw-p 00000000 00:00 0",
    ]
    (tmp_path / "maps").write_text("\n".join(lines))
    assert unlinked_bytes(tmp_path, f"{tmp_path}/") == SCRATCH_MIB * 2**20


def test_what_is_mapped_is_read_up_to_a_limit(tmp_path):
    """Paths can be long, and mappings many: gigabytes, of which the judge waits for the end"""
    line = f"7f00-7f01 r--p 00000000 08:01 7      /{'d' * 4000}\n"
    (tmp_path / "maps").write_text(line * 2**13)
    assert unlinked_bytes(tmp_path, f"{tmp_path}/") > DISK_MIB * 2**20


def test_a_process_that_has_ended_keeps_nothing(tmp_path):
    assert unlinked_bytes(tmp_path / "none", "/") == 0
