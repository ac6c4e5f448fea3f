"""get_batch: returns NaN in place of every number"""

import torch


def get_batch(tokens, batch_size, context_length, device="cpu"):
    x = torch.full((batch_size, context_length), float("nan"))
    return x, x.clone()
