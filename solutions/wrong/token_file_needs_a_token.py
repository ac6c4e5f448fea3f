"""token_file: an empty list becomes an array of floats, which is refused

Breaks: T may be 0
"""

_write = write_tokens


def write_tokens(path, tokens, dtype):
    if np.asarray(tokens).dtype.kind == "f":
        raise ValueError("tokens are integers")
    _write(path, tokens, dtype)
