"""token_file: tokens are written one by one, so a refused call has destroyed the old file

Breaks: A call that raises ValueError writes nothing: an existing file stays as it was, and no new
one appears.
"""


def write_tokens(path, tokens, dtype):
    item = np.dtype(dtype).newbyteorder("<")
    limits = np.iinfo(item)
    with open(path, "wb") as file:
        for token in tokens:
            if not limits.min <= int(token) <= limits.max:
                raise ValueError("a token does not fit")
            file.write(np.array([token]).astype(item).tobytes())
