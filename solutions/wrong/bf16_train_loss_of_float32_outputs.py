"""bf16_train: the loss gets outputs in float32, whatever the model returns

Breaks: as computed under autocast
"""


def train_bf16(model, optimizer, batches, loss_fn):
    losses = []
    for inputs, targets in batches:
        with torch.autocast(inputs.device.type, dtype=torch.bfloat16):
            loss = loss_fn(model(inputs).float(), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
