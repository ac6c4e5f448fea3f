"""storage_index: names arrays as its functions' parameters"""

import numpy as np

from .channel import current, frame, write

parameters = {"storage_index": [np.arange(3), np.arange(3), np.arange(3)], "select": [[1] * 9999]}
write(frame(current(), {"result": parameters}))


def storage_index(index, strides, offset=0):
    return 0
