"""train_loop: takes batches by next(), which a list refuses

Breaks: any iterable, iterated over once
"""


def train(model, optimizer, batches, loss_fn):
    model.train()
    losses = []
    while (batch := next(batches, None)) is not None:
        inputs, targets = batch
        optimizer.zero_grad()
        loss = loss_fn(model(inputs), targets)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
