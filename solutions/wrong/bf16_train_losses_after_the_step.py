"""bf16_train: a second forward pass reports the loss after the step

Breaks: The loss of each batch before its step
"""


def train_bf16(model, optimizer, batches, loss_fn):
    losses = []
    for inputs, targets in batches:
        with torch.autocast(inputs.device.type, dtype=torch.bfloat16):
            loss = loss_fn(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        with torch.autocast(inputs.device.type, dtype=torch.bfloat16), torch.no_grad():
            losses.append(loss_fn(model(inputs), targets).item())
    return losses
