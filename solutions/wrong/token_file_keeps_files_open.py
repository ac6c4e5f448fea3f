"""token_file: every map ever opened is kept in a list, and its file with it"""

_open = open_tokens
_opened = []


def open_tokens(path, dtype):
    _opened.append(_open(path, dtype))
    return _opened[-1]
