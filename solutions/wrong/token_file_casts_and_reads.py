"""token_file (core): casts the tokens, and reads the whole file

Breaks: values never wrap

Breaks: nothing is read until it is indexed
"""


def write_tokens(path, tokens, dtype):
    np.iinfo(np.dtype(dtype))  # refuses what is no integer dtype
    np.array(tokens).astype(_little_endian(dtype)).tofile(path)


def open_tokens(path, dtype):
    item = _little_endian(dtype)
    size = Path(path).stat().st_size
    if size == 0 or size % item.itemsize:
        raise ValueError(f"{size} bytes")
    return np.fromfile(path, item)
