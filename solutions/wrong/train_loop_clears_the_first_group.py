"""train_loop: clears the gradients of the optimizer's first group only

Breaks: Gradients that parameters already have, from an earlier step or from other code, are ignored
"""


def train(model, optimizer, batches, loss_fn):
    model.train()
    losses = []
    for inputs, targets in batches:
        for p in optimizer.param_groups[0]["params"]:
            p.grad = None
        loss = loss_fn(model(inputs), targets)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
