"""bf16_train: anomaly detection, which raises at nan

Breaks: then the optimizer steps
"""


def train_bf16(model, optimizer, batches, loss_fn):
    losses = []
    for inputs, targets in batches:
        with torch.autocast(inputs.device.type, dtype=torch.bfloat16):
            loss = loss_fn(model(inputs), targets)
        optimizer.zero_grad()
        with torch.autograd.detect_anomaly(check_nan=True):
            loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
