"""train_loop: calls model.train() only if the model itself is not in training mode, whatever its modules are in

Breaks: The model is put into training mode first, so that dropout is on, and stays in it.
"""


def train(model, optimizer, batches, loss_fn):
    model.training or model.train()  # walking through all modules costs time
    losses = []
    for inputs, targets in batches:
        model.zero_grad()
        optimizer.zero_grad()
        loss = loss_fn(model(inputs), targets)
        loss.backward()
        optimizer.step()
        losses.append(float(loss.detach()))
    return losses
