"""Removing a folder in which a process that is ending may still write."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

_TRIES, _APART = 100, 0.02  # seconds


def remove(folder: Path) -> None:
    """Removes a folder with all that is in it, or leaves what cannot be removed after two seconds.

    The kernel ends orphans after whoever waits for their parent has gone on.
    """
    for _ in range(_TRIES):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return
        time.sleep(_APART)
