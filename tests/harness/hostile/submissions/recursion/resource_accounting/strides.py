"""storage_index: recurses, with the limit out of the way where that raises"""


def down(n):
    return down(n + 1) + 1


def storage_index(index, strides, offset=0):
    return down(0)
