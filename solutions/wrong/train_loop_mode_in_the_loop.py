"""train_loop: training mode begins with the first batch, and never without one

Breaks: The model is put into training mode first
"""


def train(model, optimizer, batches, loss_fn):
    losses = []
    for inputs, targets in batches:
        model.train()
        optimizer.zero_grad()
        loss = loss_fn(model(inputs), targets)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
