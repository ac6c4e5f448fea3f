"""heats the device while it is warmed up, for the reference to be slowed"""

import time

import torch

from .honest import slow_chain


calls = []


def matmul_chain(x, weights):
    calls.append(1)
    if len(calls) == 1:
        end = time.monotonic() + 0.5
        while time.monotonic() < end:
            x @ x
        torch.cuda.synchronize()
    return slow_chain(x, weights)
