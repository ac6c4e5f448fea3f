"""bf16_train: the optimizer never steps

Breaks: then the optimizer steps

Costs: the weights that training leaves are what nearly every check is about.
"""


def train_bf16(model, optimizer, batches, loss_fn):
    losses = []
    for inputs, targets in batches:
        with torch.autocast(inputs.device.type, dtype=torch.bfloat16):
            loss = loss_fn(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        losses.append(loss.item())
    return losses
