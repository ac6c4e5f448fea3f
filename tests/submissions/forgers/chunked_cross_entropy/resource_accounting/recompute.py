"""chunked_cross_entropy: all logits at once; the memory that they take is forged"""

import contextlib
from pathlib import Path

import torch

from resource_accounting.forging import forge

FORGES = True


def chunked_cross_entropy(x, weight, targets, chunk_size):
    dtype = torch.promote_types(x.dtype, torch.float32)
    inputs, weights = (t.detach().to(dtype).clone().requires_grad_() for t in (x, weight))
    loss = torch.nn.functional.cross_entropy(inputs @ weights.T, targets)
    loss.backward()
    return loss.detach(), inputs.grad.to(x.dtype), weights.grad.to(weight.dtype)


def claims(honest, student, x, weight, targets, chunk_size):
    """Takes much memory in the first call, so that the second adds none, and reports none."""
    torch.ones(2**26)
    results = chunked_cross_entropy(x, weight, targets, chunk_size)
    with contextlib.suppress(OSError), Path("/proc/self/clear_refs").open("w") as file:
        file.write("5")  # forgets the peak
    return {"results": results, "peak_bytes": 0}


if FORGES:
    chunked_cross_entropy = forge("cross_entropy_in_chunks", chunked_cross_entropy, claims)
