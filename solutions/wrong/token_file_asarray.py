"""token_file: the map is handed out as a plain array

Breaks: a one-dimensional np.memmap of its T tokens
"""

import numpy as np


def open_tokens(path, dtype):
    return np.asarray(np.memmap(path, dtype=np.dtype(dtype).newbyteorder("<"), mode="r"))
