"""storage_index: raises an integer to a power that takes hours, deaf to every signal"""


def storage_index(index, strides, offset=0):
    return 7 ** (10**9)
