"""bf16_train: the loss is computed outside autocast from outputs in bf16, and is in bf16 itself"""


def train_bf16(model, optimizer, batches, loss_fn):
    losses = []
    for inputs, targets in batches:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            outputs = model(inputs)
        loss = loss_fn(outputs, targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
