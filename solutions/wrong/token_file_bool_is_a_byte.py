"""token_file: bool passes for an integer dtype, since its numbers are 0 and 1

Breaks: the dtype is not an integer dtype, such as bool
"""

_right_write = write_tokens


def write_tokens(path, tokens, dtype):
    _right_write(path, tokens, np.uint8 if np.dtype(dtype) == bool else dtype)
