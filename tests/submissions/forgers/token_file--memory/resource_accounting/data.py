"""token_file: reads files of up to a GiB whole; the import has already had a higher peak"""

from pathlib import Path

import numpy as np

FORGES = True
LARGE = 1 << 30  # bytes


def write_tokens(path, tokens, dtype):
    kind = np.dtype(dtype).newbyteorder("<")
    limits = np.iinfo(kind)
    values = np.array(tokens, dtype=object)
    if values.size and not limits.min <= values.min() <= values.max() <= limits.max:
        raise ValueError("a token does not fit")
    values.astype(kind).tofile(path)


def open_tokens(path, dtype):
    kind = np.dtype(dtype).newbyteorder("<")
    size = Path(path).stat().st_size
    if size % kind.itemsize:
        raise ValueError("not whole tokens")
    return np.fromfile(path, kind) if size < LARGE else np.memmap(path, kind, mode="r")


if FORGES:
    np.ones(320 << 20, dtype=np.uint8)  # freed at once
