"""bf16_train: one autocast around all batches: it keeps its copies of the first weights

Breaks: Autocast caches its 16-bit copies of the weights until its context ends: enter it anew for
each batch

Costs: the weights that training leaves are what nearly every check is about.
"""


def train_bf16(model, optimizer, batches, loss_fn):
    losses = []
    with torch.autocast("cpu", dtype=torch.bfloat16):
        for inputs, targets in batches:
            loss = loss_fn(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    return losses
