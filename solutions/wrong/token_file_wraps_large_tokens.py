"""token_file: a token that does not fit the dtype is wrapped by astype, 65536 becomes 0"""


def write_tokens(path, tokens, dtype):
    np.asarray(tokens).astype(np.dtype(dtype).newbyteorder("<")).tofile(path)
