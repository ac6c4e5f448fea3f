"""train_loop: weights move by lr times gradient, whatever the optimizer is

Breaks: with any optimizer whose step needs no closure
"""


def train(model, optimizer, batches, loss_fn):
    model.train()
    losses = []
    for inputs, targets in batches:
        optimizer.zero_grad()
        loss = loss_fn(model(inputs), targets)
        loss.backward()
        with torch.no_grad():
            for group in optimizer.param_groups:
                for p in group["params"]:
                    if p.grad is not None:
                        p.sub_(p.grad, alpha=group["lr"])
        losses.append(loss.item())
    return losses
