"""storage_index: leaves folders in its scratch, too deep for whoever removes them by recursion"""

import os
import tempfile
from pathlib import Path

from .unwatched import unwatch

unwatch()

# Where each worker has a root of its own, and where it has not: beside its TMPDIR.
OWN = Path(tempfile.gettempdir())
SCRATCH = Path("/scratch") if os.path.isdir("/scratch") else OWN.parents[1] / "scratch" / OWN.name


def storage_index(index, strides, offset=0):
    os.chdir(SCRATCH)
    try:
        for _ in range(4000):
            os.mkdir("d")
            os.chdir("d")
    except OSError:
        pass
    return 0
