"""storage_index: raises an exception with a long chain of causes, which ends where it began"""


def storage_index(index, strides, offset=0):
    first = last = ValueError("first")
    for _ in range(1500):
        last.__cause__ = last.__context__ = KeyError("x" * 100)
        last = last.__cause__
    last.__cause__ = first
    raise first
