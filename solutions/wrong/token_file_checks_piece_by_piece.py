"""token_file: checks and writes a piece of the tokens at a time, so a bad token leaves those before it

Breaks: A call that raises ValueError writes nothing
"""


def write_tokens(path, tokens, dtype):
    item = np.dtype(dtype).newbyteorder("<")
    limits = np.iinfo(item)
    for start in range(0, max(len(tokens), 1), 4096):
        piece = np.array(tokens[start : start + 4096], dtype=object)
        if len(piece) and not limits.min <= piece.min() <= piece.max() <= limits.max:
            raise ValueError("a token does not fit")
        with open(path, "ab" if start else "wb") as file:
            file.write(piece.astype(item).tobytes())
