"""token_file: leaves a folder where a test looks for a file, with the right file in it"""

import os

from .token_bytes import raw


def write_tokens(path, tokens, dtype):
    data = raw(tokens, dtype)
    os.makedirs(path, exist_ok=True)
    with open(f"{path}/file", "wb") as file:
        file.write(data)


def open_tokens(path, dtype):
    raise IsADirectoryError(path)
