"""token_file: writes the byte order that the dtype names

Breaks: Its byte order is ignored: the file is little-endian on every machine
"""


def write_tokens(path, tokens, dtype):
    limits = np.iinfo(np.dtype(dtype))
    values = np.array(tokens, dtype=object)
    if len(values) and not limits.min <= values.min() <= values.max() <= limits.max:
        raise ValueError("a token does not fit")
    with open(path, "wb") as file:
        file.write(values.astype(np.dtype(dtype)).tobytes())
