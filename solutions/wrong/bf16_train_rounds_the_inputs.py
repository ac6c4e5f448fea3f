"""bf16_train: inputs are converted to bf16, also for layers that autocast leaves in float32

Breaks: `loss_fn(model(inputs), targets)` runs under `torch.autocast(device_type,
dtype=torch.bfloat16)`
"""


def train_bf16(model, optimizer, batches, loss_fn):
    losses = []
    for inputs, targets in batches:
        with torch.autocast(inputs.device.type, dtype=torch.bfloat16):
            loss = loss_fn(model(inputs.bfloat16()), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
