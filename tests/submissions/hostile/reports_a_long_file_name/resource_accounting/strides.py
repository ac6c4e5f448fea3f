"""storage_index: says that an import of a file changed something whose name no file can have"""

from assignment.calls import imports

imports.take_changes = lambda: [("\U0001d400" * 80 + "/a.py", 1, "x")]


def storage_index(index, strides, offset=0):
    return -1
