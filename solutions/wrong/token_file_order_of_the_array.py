"""token_file: an array of the right kind and width is written as it is, big-endian too

Breaks: the file is little-endian on every machine
"""

import numpy as np

_write = write_tokens


def write_tokens(path, tokens, dtype):
    kind = np.dtype(dtype)
    if isinstance(tokens, np.ndarray) and (tokens.dtype.kind, tokens.dtype.itemsize) == (
        kind.kind,
        kind.itemsize,
    ):
        tokens.tofile(path)
        return
    _write(path, tokens, dtype)
