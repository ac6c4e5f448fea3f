"""bf16_train: sets all layers to the mode of the model

Breaks: Its mode (train, eval) does not change
"""


def train_bf16(model, optimizer, batches, loss_fn):
    losses = []
    model.train(model.training)
    for inputs, targets in batches:
        with torch.autocast(inputs.device.type, dtype=torch.bfloat16):
            loss = loss_fn(model(inputs), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
