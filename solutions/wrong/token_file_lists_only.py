"""token_file: tests for a list, so that a tuple is no sequence

Breaks: only their values, without a header or an end mark
"""

import numpy as np

_write = write_tokens


def write_tokens(path, tokens, dtype):
    if not isinstance(tokens, list | np.ndarray):
        raise ValueError("tokens must be a list or an array")
    _write(path, tokens, dtype)
