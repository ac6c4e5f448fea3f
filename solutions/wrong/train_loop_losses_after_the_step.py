"""train_loop: a second forward pass reports the loss after the step

Breaks: one forward pass per batch

Breaks: The loss of each batch before its step
"""


def train(model, optimizer, batches, loss_fn):
    model.train()
    losses = []
    for inputs, targets in batches:
        optimizer.zero_grad()
        loss_fn(model(inputs), targets).backward()
        optimizer.step()
        losses.append(loss_fn(model(inputs), targets).item())
    return losses
