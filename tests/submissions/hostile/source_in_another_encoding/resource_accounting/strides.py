"""storage_index: hides its code in an encoding that whoever reads the file does not see"""

from . import inner


def storage_index(index, strides, offset=0):
    raise LookupError(inner.__name__)
