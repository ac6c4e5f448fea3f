"""token_file: a file that does not exist is refused like an empty one

Breaks: the file does not exist
"""

import os

_open = open_tokens


def open_tokens(path, dtype):
    if not os.path.exists(path) or not os.path.getsize(path):
        raise ValueError("no tokens")
    return _open(path, dtype)
