"""token_file: the range is checked in float64, where 2**63 and 2**63 - 1 are the same"""

import pathlib
import numpy as np


def write_tokens(path, tokens, dtype) -> None:
    dtype = np.dtype(dtype)
    if dtype.kind not in "iu":
        raise ValueError(f"{dtype} is not an integer dtype")
    dtype = dtype.newbyteorder("<")
    info = np.iinfo(dtype)
    values = np.array([float(token) for token in tokens])
    if len(values) and (values.min() < float(info.min) or values.max() > float(info.max)):
        raise ValueError("a token does not fit")
    mask = (1 << info.bits) - 1
    data = np.array([int(token) & mask for token in tokens], dtype=f"<u{dtype.itemsize}")
    pathlib.Path(path).write_bytes(data.tobytes())
