"""token_file: the largest token that fits is refused, off by one in the check"""

_write = write_tokens


def write_tokens(path, tokens, dtype):
    if any(token >= np.iinfo(np.dtype(dtype)).max for token in tokens):
        raise ValueError("a token does not fit")
    _write(path, tokens, dtype)
