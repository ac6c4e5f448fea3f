"""token_file: a file that ends inside a token is cut to whole tokens without a word"""


def open_tokens(path, dtype):
    item = np.dtype(dtype).newbyteorder("<")
    return np.memmap(path, dtype=item, mode="r", shape=(os.path.getsize(path) // item.itemsize,))
