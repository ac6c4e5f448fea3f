"""train_loop: gradients pile up

Breaks: Gradients that parameters already have, from an earlier step or from other code, are ignored
"""


def train(model, optimizer, batches, loss_fn):
    model.train()
    losses = []
    for inputs, targets in batches:
        loss = loss_fn(model(inputs), targets)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
