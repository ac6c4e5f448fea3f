"""bf16_train: autocast to fp16 in place of bf16

Breaks: with the forward pass in bf16
"""


def train_bf16(model, optimizer, batches, loss_fn):
    losses = []
    for inputs, targets in batches:
        with torch.autocast("cpu", dtype=torch.float16):
            loss = loss_fn(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
