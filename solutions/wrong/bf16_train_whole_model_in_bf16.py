"""bf16_train: the model itself becomes bf16, and loses small updates

Breaks: parameters, gradients and the optimizer's state stay in float32, so that an update much
smaller than its parameter is kept

Costs: the model that the caller gave is another one, and each batch and loss has another dtype.
"""


def train_bf16(model, optimizer, batches, loss_fn):
    losses = []
    model.to(torch.bfloat16)
    for inputs, targets in batches:
        loss = loss_fn(model(inputs.bfloat16()).float(), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    model.float()
    return losses
