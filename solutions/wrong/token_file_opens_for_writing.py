"""token_file: the map is opened copy-on-write, so the corpus can be changed by mistake

Breaks: Opens a token file as a read-only memory map
"""


def open_tokens(path, dtype):
    return np.memmap(path, dtype=np.dtype(dtype).newbyteorder("<"), mode="c")
