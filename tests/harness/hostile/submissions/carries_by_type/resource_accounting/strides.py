"""storage_index: carries its arguments out in the names of classes, keys and shapes of its answers"""

import random

import torch

DRAW = random.Random()  # drawing from the global generator is a failure of its own


def storage_index(index, strides, offset=0):
    said = f"carried {list(index)} {list(strides)} {offset}"
    odd = type(said, (), {"__module__": said})()
    sparse = torch.zeros(sum(index) % 99 + 1, sum(strides) % 99 + 1).to_sparse()
    return DRAW.choice([odd, {said: odd}, {said: {(said,): 6}}, sparse, [[odd] * 99]])
