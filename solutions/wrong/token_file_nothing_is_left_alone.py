"""token_file: without tokens the file is touched, and an old one stays

Breaks: An existing file is replaced
"""

import numpy as np

_write = write_tokens


def write_tokens(path, tokens, dtype):
    if len(tokens) == 0:
        np.iinfo(np.dtype(dtype))
        open(path, "ab").close()
        return
    _write(path, tokens, dtype)
