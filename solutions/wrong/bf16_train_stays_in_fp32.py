"""bf16_train (core): no autocast: the loop stays in float32

Breaks: Matrix products run in 16 bits, chosen by `torch.autocast`
"""


def train_bf16(model, optimizer, batches, loss_fn):
    losses = []
    for inputs, targets in batches:
        loss = loss_fn(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
