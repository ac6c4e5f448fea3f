"""get_batch: returns tensors that are sparse, quantized, nested, without data, or no tensors"""

import random
import warnings

import torch


def get_batch(tokens, batch_size, context_length, device="cpu"):
    x = torch.zeros(batch_size, context_length)
    makers = [
        lambda: x.to_sparse(),
        lambda: x.to("meta"),
        lambda: torch.quantize_per_tensor(x, 0.1, 0, torch.qint8),
        lambda: torch.nested.nested_tensor([x[:1], x]),
        lambda: x.to_sparse_csr(),
        lambda: x.to_mkldnn(),
        lambda: torch.empty(x.shape, dtype=torch.bits8),
        lambda: x.untyped_storage(),
    ]
    warnings.simplefilter("ignore")
    return random.choice(makers)(), random.choice(makers)()
