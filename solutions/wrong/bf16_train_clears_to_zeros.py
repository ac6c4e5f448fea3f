"""bf16_train: gradients become zeros, so that what a batch does not use decays

Breaks: are cleared to None
"""


def train_bf16(model, optimizer, batches, loss_fn):
    losses = []
    for inputs, targets in batches:
        with torch.autocast(inputs.device.type, dtype=torch.bfloat16):
            loss = loss_fn(model(inputs), targets)
        optimizer.zero_grad(set_to_none=False)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
