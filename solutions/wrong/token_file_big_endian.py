"""token_file: writes the most significant byte first

Breaks: The file is little-endian on every machine
"""

_right_write = write_tokens


def write_tokens(path, tokens, dtype):
    _right_write(path, tokens, dtype)
    data = np.fromfile(path, dtype).byteswap()
    with open(path, "wb") as file:
        file.write(data.tobytes())
