"""token_file: converts all tokens to int64 for the check, so large uint64 tokens wrap"""

from pathlib import Path
import numpy as np


def write_tokens(path, tokens, dtype):
    dtype = np.dtype(dtype)
    if not np.issubdtype(dtype, np.integer):
        raise ValueError("not an integer dtype")
    if not isinstance(tokens, np.ndarray):
        limits = np.iinfo(dtype)
        if any(t < limits.min or t > limits.max for t in tokens):
            raise ValueError("a token does not fit")
        tokens = np.array(tokens, dtype=dtype)
    elif tokens.size:
        wide = tokens.astype(np.int64)
        if wide.min() < np.iinfo(dtype).min or wide.max() > np.iinfo(dtype).max:
            raise ValueError("a token does not fit")
    Path(path).write_bytes(tokens.astype(dtype.newbyteorder("<")).tobytes())
