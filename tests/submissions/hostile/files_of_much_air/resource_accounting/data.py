"""token_file: leaves files that are right at their start and end in gigabytes of nothing"""

import numpy as np

from .token_bytes import raw


def write_tokens(path, tokens, dtype):
    data = raw(tokens, dtype)
    with open(path, "wb") as file:
        file.write(data)
        for size in (2**44, 2**34, 2**28, 2**27):
            try:
                file.truncate(size)
                break
            except OSError:
                pass


def open_tokens(path, dtype):
    return np.zeros(1, dtype)
