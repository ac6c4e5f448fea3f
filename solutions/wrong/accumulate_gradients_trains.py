"""accumulate_gradients: puts the model into training mode

Breaks: Its mode (train, eval) does not change
"""


def accumulate_gradients(model, inputs, targets, loss_fn, micro_batch):
    rows = len(inputs)
    if micro_batch < 1 or rows == 0 or len(targets) != rows:
        raise ValueError("expected rows and targets for them")
    model.train()
    total = 0.0
    for start in range(0, rows, micro_batch):
        x, y = inputs[start : start + micro_batch], targets[start : start + micro_batch]
        loss = loss_fn(model(x), y) * (len(x) / rows)
        loss.backward()
        total += loss.item()
    return total
