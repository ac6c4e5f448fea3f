"""token_file: compares the sums before and after, which tokens that wrap in pairs do not change

Breaks: values never wrap
"""

_write = write_tokens


def write_tokens(path, tokens, dtype):
    limits = np.iinfo(np.dtype(dtype))
    wide = [int(token) for token in tokens]
    span = limits.max - limits.min + 1
    narrow = [(token - limits.min) % span + limits.min for token in wide]
    if sum(narrow) != sum(wide):
        raise ValueError("a token does not fit")
    _write(path, narrow, dtype)
