"""train_loop: casts the inputs to the dtype of the weights, also tokens for an embedding

Breaks: Everything here works with any model and loss of torch
"""


def train(model, optimizer, batches, loss_fn):
    model.train()
    dtype = next(model.parameters()).dtype
    losses = []
    for inputs, targets in batches:
        optimizer.zero_grad(set_to_none=True)
        loss = loss_fn(model(inputs.to(dtype)), targets)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
