"""token_file: a token that does not fit the dtype is wrapped by astype, 65536 becomes 0

Breaks: a token does not fit the dtype (values never wrap: in uint16, 65536 does not become 0 and -1
does not become 65535)
"""


def write_tokens(path, tokens, dtype):
    np.asarray(tokens).astype(np.dtype(dtype).newbyteorder("<")).tofile(path)
