"""token_file: without tokens, any dtype makes an empty file

Breaks: the dtype is not an integer dtype

Breaks: even if there are no tokens
"""

_right_write = write_tokens


def write_tokens(path, tokens, dtype):
    _right_write(path, tokens, dtype if len(tokens) else np.uint8)
