"""train_loop: retain_graph=True holds a step's graph until the next one is there

Breaks: No step's graph is kept in memory
"""


def train(model, optimizer, batches, loss_fn):
    model.train()
    losses = []
    for inputs, targets in batches:
        optimizer.zero_grad()
        loss = loss_fn(model(inputs), targets)
        loss.backward(retain_graph=True)
        optimizer.step()
        losses.append(loss.item())
    return losses
