"""Removing folders that a submission may have filled."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import time
from pathlib import Path

_TRIES, _APART = 100, 0.02  # seconds


def remove(folder: Path) -> None:
    """Removes a folder of any depth with all that is in it, or leaves what cannot be removed."""
    with contextlib.suppress(RecursionError):
        shutil.rmtree(folder, ignore_errors=True)
    if folder.exists():  # deeper than Python goes
        subprocess.run(["rm", "-rf", "--", str(folder)], check=False, stdin=subprocess.DEVNULL)


def remove_while_written(folder: Path) -> None:
    """Removes a folder in which a process that is ending may still write, for two seconds.

    The kernel ends orphans after whoever waits for their parent has gone on.
    """
    for _ in range(_TRIES):
        remove(folder)
        if not folder.exists():
            return
        time.sleep(_APART)
