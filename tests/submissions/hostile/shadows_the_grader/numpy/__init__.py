"""Says that everything is equal."""


def array_equal(*args):
    return True
