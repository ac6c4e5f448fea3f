"""token_file: writes over the old file, whose tail stays if it was longer

Breaks: An existing file is replaced
"""

import os

_write = write_tokens


def write_tokens(path, tokens, dtype):
    beside = str(path) + ".new"
    _write(beside, tokens, dtype)
    with open(beside, "rb") as file, open(path, "r+b" if os.path.exists(path) else "wb") as old:
        old.write(file.read())
    os.remove(beside)
