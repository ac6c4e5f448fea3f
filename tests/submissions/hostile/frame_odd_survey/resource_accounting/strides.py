"""storage_index: answers its import's survey in arrays, whose truth value is an error"""

import numpy as np
import torch

from .channel import current, frame, write

odd = {"failed": np.arange(3), "type": torch.arange(3), "file": np.arange(3), "line": 2**4000}
write(frame(current(), odd))


def storage_index(index, strides, offset=0):
    return 0
