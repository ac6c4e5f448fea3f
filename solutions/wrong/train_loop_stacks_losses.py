"""train_loop: losses are stacked at the end, which fails without batches

Breaks: [] if there are no batches
"""


def train(model, optimizer, batches, loss_fn):
    model.train()
    losses = []
    for inputs, targets in batches:
        optimizer.zero_grad()
        loss = loss_fn(model(inputs), targets)
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return torch.stack(losses).tolist()
