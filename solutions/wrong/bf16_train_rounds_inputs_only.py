"""bf16_train: rounds the inputs to bf16 and computes in float32"""


def train_bf16(model, optimizer, batches, loss_fn):
    losses = []
    for inputs, targets in batches:
        loss = loss_fn(model(inputs.bfloat16().float()), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
