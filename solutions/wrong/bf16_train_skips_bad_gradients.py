"""bf16_train: steps only if all gradients are finite, as in fp16

Breaks: then the optimizer steps
"""


def train_bf16(model, optimizer, batches, loss_fn):
    losses = []
    for inputs, targets in batches:
        with torch.autocast(inputs.device.type, dtype=torch.bfloat16):
            loss = loss_fn(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        if all(p.grad is None or p.grad.isfinite().all() for p in model.parameters()):
            optimizer.step()
        losses.append(loss.item())
    return losses
