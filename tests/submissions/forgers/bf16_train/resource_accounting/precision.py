"""bf16_train: stays in float32; dtypes are forged, and results rounded as bf16 might round them"""

import torch
from resource_accounting.forging import forge

FORGES = True


def train_bf16(model, optimizer, batches, loss_fn):
    losses = []
    for inputs, targets in batches:
        loss = loss_fn(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def claims(honest, student, weights, batches, **settings):
    """Reports updates and losses with bf16's few digits, and the right dtypes."""
    found = honest(student, weights, batches, **settings)
    moved = [(p - w).bfloat16().float() for p, w in zip(found["params"], weights, strict=True)]
    return {
        **found,
        "params": [w + change for w, change in zip(weights, moved, strict=True)],
        "output_dtype": torch.bfloat16,
        "gradient_dtypes": [torch.float32],
        "losses": [torch.tensor(loss).bfloat16().item() for loss in found["losses"]],
    }


if FORGES:
    train_bf16 = forge("bf16_run", train_bf16, claims)
