"""train_loop: a batch whose loss is not finite has no step

Breaks: Trains a model on each batch once, with one step per batch
"""


def train(model, optimizer, batches, loss_fn):
    model.train()
    losses = []
    for inputs, targets in batches:
        optimizer.zero_grad()
        loss = loss_fn(model(inputs), targets)
        losses.append(loss.item())
        if not math.isfinite(losses[-1]):
            continue
        loss.backward()
        optimizer.step()
    return losses
