"""mfu: float32 is used, which has 7 digits

Breaks: the speed reached, as a fraction of the speed promised
"""

import torch

_right_mfu = mfu


def mfu(*args, **kwargs):
    return torch.tensor(_right_mfu(*args, **kwargs), dtype=torch.float32).item()
