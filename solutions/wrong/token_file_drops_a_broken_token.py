"""token_file: a file that ends inside a token is cut to whole tokens without a word

Breaks: the file's size in bytes is not a multiple of the dtype's
"""

import os


def open_tokens(path, dtype):
    item = np.dtype(dtype).newbyteorder("<")
    return np.memmap(path, dtype=item, mode="r", shape=(os.path.getsize(path) // item.itemsize,))
