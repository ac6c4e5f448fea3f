"""token_file: tests for a list, so that a tuple is no sequence

Breaks: T integers
"""

import numpy as np

_write = write_tokens


def write_tokens(path, tokens, dtype):
    if not isinstance(tokens, list | np.ndarray):
        raise ValueError("tokens must be a list or an array")
    _write(path, tokens, dtype)
