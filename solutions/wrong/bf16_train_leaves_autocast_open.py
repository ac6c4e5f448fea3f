"""bf16_train: enters autocast by hand and leaves it by hand, which an exception of the model skips"""

import torch


def train_bf16(model, optimizer, batches, loss_fn):
    losses = []
    for inputs, targets in batches:
        optimizer.zero_grad()
        context = torch.autocast(inputs.device.type, dtype=torch.bfloat16)
        context.__enter__()
        loss = loss_fn(model(inputs), targets)
        context.__exit__(None, None, None)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
