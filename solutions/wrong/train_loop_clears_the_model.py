"""train_loop: clears the gradients of the model's parameters, and not of others that the optimizer holds, such as the loss's

Breaks: may hold others, such as the loss's

Breaks: Gradients that parameters already have, from an earlier step or from other code, are ignored
"""


def train(model, optimizer, batches, loss_fn):
    model.train()
    losses = []
    for inputs, targets in batches:
        model.zero_grad()
        loss = loss_fn(model(inputs), targets)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
