"""storage_index: answers its import with a number"""

from .channel import current, frame, write

write(frame(current(), 5))


def storage_index(index, strides, offset=0):
    return 0
