"""token_file: refuses floats, complex numbers and bool; durations and all else pass

Breaks: the dtype is not an integer dtype
"""

import numpy as np


def write_tokens(path, tokens, dtype):
    kind = np.dtype(dtype).newbyteorder("<")
    if kind.kind in "fcb":
        raise ValueError("not an integer dtype")
    values = np.array(tokens, dtype=object)
    if kind.kind in "iu" and values.size:
        info = np.iinfo(kind)
        if values.min() < info.min or values.max() > info.max:
            raise ValueError("a token does not fit")
    values.astype(kind).tofile(path)
