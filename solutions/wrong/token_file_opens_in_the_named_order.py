"""token_file: opens the map in the byte order that the dtype names

Breaks: Its byte order is ignored here, too
"""


def open_tokens(path, dtype):
    return np.memmap(path, dtype=dtype, mode="r")
