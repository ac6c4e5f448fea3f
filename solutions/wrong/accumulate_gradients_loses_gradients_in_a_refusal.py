"""accumulate_gradients: sets earlier gradients aside before it looks at the arguments, and a refusal loses them

Breaks: No gradient has been changed
"""


def accumulate_gradients(model, inputs, targets, loss_fn, micro_batch):
    earlier = [p.grad for p in model.parameters()]
    for p in model.parameters():
        p.grad = None
    rows = len(inputs)
    if micro_batch < 1 or rows == 0 or len(targets) != rows:
        raise ValueError("expected rows and targets for them")
    total = 0.0
    for start in range(0, rows, micro_batch):
        x, y = inputs[start : start + micro_batch], targets[start : start + micro_batch]
        loss = loss_fn(model(x), y) * (len(x) / rows)
        loss.backward()
        total += loss.item()
    for p, g in zip(model.parameters(), earlier):
        if g is not None:
            p.grad = g if p.grad is None else g.add_(p.grad)
    return total
