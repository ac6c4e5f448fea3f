"""train_loop: gradients are never zeroed; asks the judge for a mask larger than any message"""

FORGES = True
HUGE = 2**27  # elements: 0.5 GiB in float32


def train(model, optimizer, batches, loss_fn):
    losses = []
    for inputs, targets in batches:
        loss = loss_fn(model(inputs), targets)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


_wrong = train


def asks(model, *args):
    for masked in model.masked:
        masked._mask((HUGE,))
    return _wrong(model, *args)


if FORGES:
    train = asks
