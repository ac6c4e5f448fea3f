"""token_file: the dtype is called to make a number of it, so its name does not do

Breaks: as np.uint16, np.dtype("uint16") or "uint16"
"""

_write = write_tokens


def write_tokens(path, tokens, dtype):
    _write(path, tokens, dtype(0).dtype)
