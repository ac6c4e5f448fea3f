"""token_file: np.fromfile reads the whole file into memory

Breaks: Opening costs the same for a kilobyte and for terabytes: nothing is read until it is
indexed.

Costs: memory is what most checks are about.
"""

import os


def open_tokens(path, dtype):
    if os.path.getsize(path) % np.dtype(dtype).itemsize:
        raise ValueError("not whole tokens")
    tokens = np.fromfile(path, dtype=dtype).view(np.memmap)
    tokens.flags.writeable = False
    return tokens
