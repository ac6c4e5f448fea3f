"""train_loop: converts targets to the outputs' dtype, also class indices

Breaks: Trains a model on each batch once
"""


def train(model, optimizer, batches, loss_fn):
    model.train()
    losses = []
    for inputs, targets in batches:
        optimizer.zero_grad()
        outputs = model(inputs)
        loss = loss_fn(outputs, targets.to(outputs.dtype))
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
