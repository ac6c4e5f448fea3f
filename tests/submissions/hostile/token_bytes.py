"""The right bytes of a token file, for attacks by the file itself."""

import numpy as np


def raw(tokens, dtype):
    """Which bytes a file should hold; refuses as it should."""
    kind = np.dtype(dtype).newbyteorder("<")
    limits = np.iinfo(kind)
    if any(not limits.min <= int(token) <= limits.max for token in tokens):
        raise ValueError
    return np.array([int(token) for token in tokens], kind).tobytes()
