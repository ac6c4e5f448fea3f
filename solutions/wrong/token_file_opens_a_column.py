"""token_file: the map is a column, of two dimensions

Breaks: a one-dimensional np.memmap of its T tokens
"""

_open = open_tokens


def open_tokens(path, dtype):
    return _open(path, dtype)[:, None]
