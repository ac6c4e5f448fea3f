"""bf16_train: a loss that is not finite is reported as -1

Breaks: The loss of each batch before its step
"""

import math


def train_bf16(model, optimizer, batches, loss_fn):
    losses = []
    for inputs, targets in batches:
        with torch.autocast(inputs.device.type, dtype=torch.bfloat16):
            loss = loss_fn(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item() if not math.isinf(loss.item()) else -1.0)
    return losses
