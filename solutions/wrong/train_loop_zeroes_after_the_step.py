"""train_loop: zeroes after the step only, so that stale gradients count once

Breaks: or from other code, are ignored
"""


def train(model, optimizer, batches, loss_fn):
    model.train()
    losses = []
    for inputs, targets in batches:
        loss = loss_fn(model(inputs), targets)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item())
    return losses
