"""train_loop: returns tensors with their graphs

Breaks: The loss of each batch before its step, as floats
"""


def train(model, optimizer, batches, loss_fn):
    model.train()
    losses = []
    for inputs, targets in batches:
        optimizer.zero_grad()
        loss = loss_fn(model(inputs), targets)
        loss.backward()
        optimizer.step()
        losses.append(loss)
    return losses
