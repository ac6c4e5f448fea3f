"""stops every clock in its process, and doubles what is left"""

import time

import torch

from .honest import slow_chain


for name in ("time", "perf_counter", "monotonic", "process_time", "thread_time"):
    setattr(time, name, lambda: 0.0)
    setattr(time, f"{name}_ns", lambda: 0)
torch.cuda.synchronize = lambda *args: None
torch.cuda.Event.elapsed_time = lambda *args: 1e-9


def matmul_chain(x, weights):
    return slow_chain(x, weights)
