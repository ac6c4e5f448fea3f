"""token_file: np.save puts a header before the tokens, and np.load reads it back happily

Breaks: Writes tokens to a file: only their values, without a header or an end mark
"""

_write = write_tokens


def write_tokens(path, tokens, dtype):
    _write(path, tokens, dtype)
    with open(path, "wb") as file:
        np.save(file, np.asarray(tokens, dtype=np.dtype(dtype)))
