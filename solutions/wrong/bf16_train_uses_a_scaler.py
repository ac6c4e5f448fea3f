"""bf16_train: a loss scaler as in fp16, which skips steps

Breaks: then the optimizer steps
"""


def train_bf16(model, optimizer, batches, loss_fn):
    losses = []
    scaler = torch.amp.GradScaler("cpu")
    for inputs, targets in batches:
        with torch.autocast(inputs.device.type, dtype=torch.bfloat16):
            loss = loss_fn(model(inputs), targets)
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        losses.append(loss.item())
    return losses
