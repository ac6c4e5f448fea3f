"""bf16_train: autocast without a dtype takes the one that the program has set

Breaks: `torch.autocast(device_type, dtype=torch.bfloat16)`
"""


def train_bf16(model, optimizer, batches, loss_fn):
    losses = []
    for inputs, targets in batches:
        with torch.autocast(inputs.device.type):
            loss = loss_fn(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
