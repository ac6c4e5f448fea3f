"""Removes folders that a submission may have filled."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import time
from pathlib import Path

_ATTEMPTS, _SECONDS_APART = 100, 0.02


def remove(folder: Path) -> None:
    """Removes a folder of any depth and its content; leaves what cannot be removed."""
    with contextlib.suppress(RecursionError):
        shutil.rmtree(folder, ignore_errors=True)
    if folder.exists():  # deeper than Python's recursion limit, or closed to its own user
        for program in (["chmod", "-R", "u+rwx"], ["rm", "-rf"]):
            subprocess.run(
                [*program, "--", str(folder)],
                check=False,
                stdin=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )


def remove_while_written(folder: Path) -> None:
    """Removes a folder into which a process that is ending may still write.

    After a parent was waited for, the kernel may still be ending its children. Gives up after two
    seconds, without an error.
    """
    for _ in range(_ATTEMPTS):
        remove(folder)
        if not folder.exists():
            return
        time.sleep(_SECONDS_APART)
