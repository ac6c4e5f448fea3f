"""bf16_train: the loss is computed outside autocast from outputs in bf16, and is in bf16 itself

Breaks: `loss_fn(model(inputs), targets)` runs under `torch.autocast(device_type,
dtype=torch.bfloat16)`

Breaks: as computed under autocast: in float32 for the losses of `torch.nn.functional`, whatever the
dtype of the model's output
"""


def train_bf16(model, optimizer, batches, loss_fn):
    losses = []
    for inputs, targets in batches:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            outputs = model(inputs)
        loss = loss_fn(outputs, targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
