"""train_loop: losses become floats after the last step, and every graph is kept until then

Breaks: No step's graph is kept in memory
"""


def train(model, optimizer, batches, loss_fn):
    model.train()
    losses = []
    for inputs, targets in batches:
        optimizer.zero_grad()
        losses.append(loss_fn(model(inputs), targets))
        losses[-1].backward()
        optimizer.step()
    return [loss.item() for loss in losses]
