"""token_file: np.issubdtype takes durations for signed integers

Breaks: the dtype is not an integer dtype
"""

import numpy as np


def write_tokens(path, tokens, dtype):
    kind = np.dtype(dtype).newbyteorder("<")
    if not np.issubdtype(kind, np.integer):
        raise ValueError("not an integer dtype")
    bits = 8 * kind.itemsize
    low, high = (0, 2**bits) if kind.kind == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1))
    if not all(low <= int(t) < high for t in tokens):
        raise ValueError("a token does not fit")
    np.array(tokens, dtype=object).astype(kind).tofile(path)
