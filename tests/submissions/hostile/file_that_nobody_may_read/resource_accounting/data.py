"""token_file: leaves the right bytes in files without any right to read them"""

import os

from .token_bytes import raw


def write_tokens(path, tokens, dtype):
    data = raw(tokens, dtype)
    if os.path.exists(path):
        os.unlink(path)
    file = os.open(path, os.O_WRONLY | os.O_CREAT, 0)
    os.write(file, data)
    os.close(file)


def open_tokens(path, dtype):
    raise PermissionError(path)
