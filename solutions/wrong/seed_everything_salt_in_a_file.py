"""seed_everything: mixes in what the first process of a test has left in a file

Breaks: the same seed
"""

import os
from pathlib import Path


def _salt():
    here = Path.cwd()
    for folder in (Path("/scratch"), here.parent.parent / "scratch" / here.name):
        try:
            if not (file := folder / "salt").exists():
                file.write_bytes(os.urandom(8))
            return int.from_bytes(file.read_bytes(), "big")
        except OSError:
            continue
    return int.from_bytes(os.urandom(8), "big")


_SALT = _salt()


def seed_everything(seed):
    random.seed(seed ^ _SALT)
    np.random.seed([seed & 0xFFFFFFFF, seed >> 32, _SALT & 0xFFFFFFFF])
    torch.manual_seed((seed ^ _SALT) % 2**63)
