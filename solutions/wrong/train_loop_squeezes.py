"""train_loop: squeezes the last axis of the outputs, which then broadcast against the targets

Breaks: Trains a model on each batch once
"""


def train(model, optimizer, batches, loss_fn):
    model.train()
    losses = []
    for inputs, targets in batches:
        optimizer.zero_grad()
        loss = loss_fn(model(inputs).squeeze(-1), targets)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
