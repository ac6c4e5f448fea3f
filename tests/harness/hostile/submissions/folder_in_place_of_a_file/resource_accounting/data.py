"""token_file: leaves a folder where a test looks for a file, with the right file in it"""

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
    os.makedirs(path, exist_ok=True)
    with open(f"{path}/file", "wb") as file:
        file.write(data)


def open_tokens(path, dtype):
    raise IsADirectoryError(path)
