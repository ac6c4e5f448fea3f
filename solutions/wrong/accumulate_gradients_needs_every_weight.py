"""accumulate_gradients: asks autograd for the gradient of every parameter, which fails for one that the model does not use

Breaks: Adds the gradient of the whole batch to each parameter's gradient
"""


def accumulate_gradients(model, inputs, targets, loss_fn, micro_batch):
    rows = len(inputs)
    if micro_batch < 1 or rows == 0 or len(targets) != rows:
        raise ValueError("expected rows and targets for them")
    total = 0.0
    for start in range(0, rows, micro_batch):
        x, y = inputs[start : start + micro_batch], targets[start : start + micro_batch]
        loss = loss_fn(model(x), y) * (len(x) / rows)
        params = [p for p in model.parameters() if p.requires_grad]
        for p, g in zip(params, torch.autograd.grad(loss, params)):
            p.grad = g if p.grad is None else p.grad + g
        total += loss.item()
    return total
