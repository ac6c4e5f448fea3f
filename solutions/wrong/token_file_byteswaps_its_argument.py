"""token_file: a big-endian array is swapped in place

Breaks: only their values
"""

import numpy as np

_write = write_tokens


def write_tokens(path, tokens, dtype):
    if isinstance(tokens, np.ndarray) and tokens.dtype.byteorder == ">":
        tokens = tokens.byteswap(inplace=True).view(tokens.dtype.newbyteorder())
    _write(path, tokens, dtype)
