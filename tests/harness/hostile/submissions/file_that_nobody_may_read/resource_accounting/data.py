"""token_file: leaves the right bytes in files without any right to read them"""

import os

import numpy as np


def raw(tokens, dtype):
    """Which bytes a file should hold; refuses as it should."""
    kind = np.dtype(dtype).newbyteorder("<")
    limits = np.iinfo(kind)
    if any(not limits.min <= int(token) <= limits.max for token in tokens):
        raise ValueError
    return np.array([int(token) for token in tokens], kind).tobytes()


def write_tokens(path, tokens, dtype):
    data = raw(tokens, dtype)
    if os.path.exists(path):
        os.unlink(path)
    file = os.open(path, os.O_WRONLY | os.O_CREAT, 0)
    os.write(file, data)
    os.close(file)


def open_tokens(path, dtype):
    raise PermissionError(path)
