"""token_file: tokens are checked and written chunk by chunk, so a bad token in a later chunk is found when the file is already replaced

Breaks: A call that raises ValueError writes nothing: an existing file stays as it was, and no new
one appears.
"""

import os

import numpy as np


def write_tokens(path, tokens, dtype) -> None:
    """Write tokens as raw little-endian integers, in chunks so that memory stays small."""
    chunk_size = 65_536

    target = np.dtype(dtype)
    if target.kind not in "iu":
        raise ValueError(f"{target} is not an integer dtype")
    target = target.newbyteorder("<")
    info = np.iinfo(target)

    file = None
    try:
        for start in range(0, len(tokens), chunk_size):
            chunk = tokens[start : start + chunk_size]
            # Validate before anything of this chunk is written: values never wrap.
            if isinstance(chunk, np.ndarray):
                smallest, largest = int(chunk.min()), int(chunk.max())
            else:
                smallest, largest = min(chunk), max(chunk)
            if smallest < info.min or largest > info.max:
                raise ValueError(
                    f"tokens {start}..{start + len(chunk) - 1} do not fit {target}: "
                    f"range {smallest}..{largest}"
                )
            if file is None:  # open lazily: a refused call must not truncate the file
                file = open(path, "wb")
            file.write(np.asarray(chunk, dtype=target).tobytes())
        if file is None:  # no tokens: an empty file
            file = open(path, "wb")
    finally:
        if file is not None:
            file.close()


def open_tokens(path, dtype):
    """Open a token file as a read-only memory map."""
    target = np.dtype(dtype).newbyteorder("<")
    size = os.path.getsize(path)  # raises FileNotFoundError
    if size == 0:
        raise ValueError(f"{path} is empty and cannot be mapped")
    if size % target.itemsize:
        raise ValueError(f"{path}: {size} bytes is not a multiple of {target.itemsize}")
    return np.memmap(path, dtype=target, mode="r")
