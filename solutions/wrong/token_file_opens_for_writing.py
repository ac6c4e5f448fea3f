"""token_file: the map is opened copy-on-write, so the corpus can be changed by mistake"""


def open_tokens(path, dtype):
    return np.memmap(path, dtype=np.dtype(dtype).newbyteorder("<"), mode="c")
