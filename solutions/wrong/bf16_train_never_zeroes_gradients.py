"""bf16_train: gradients add up from batch to batch

Breaks: on cleared gradients

Costs: the weights that training leaves are what nearly every check is about.
"""


def train_bf16(model, optimizer, batches, loss_fn):
    losses = []
    for inputs, targets in batches:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = loss_fn(model(inputs), targets)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
