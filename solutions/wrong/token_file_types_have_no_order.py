"""token_file: asks the given dtype for another byte order, which np.uint16 cannot give"""

import numpy as np


def write_tokens(path, tokens, dtype):
    if isinstance(dtype, str):
        dtype = np.dtype(dtype)
    dtype = dtype.newbyteorder("<")
    info = np.iinfo(dtype)
    values = np.array(tokens, dtype=object)
    if values.size and not (info.min <= values.min() and values.max() <= info.max):
        raise ValueError("a token does not fit")
    values.astype(dtype).tofile(path)
