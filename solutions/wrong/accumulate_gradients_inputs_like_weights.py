"""accumulate_gradients: converts inputs to the dtype of the weights, also tokens

Breaks: Adds the gradient of the whole batch to each parameter's gradient
"""


def accumulate_gradients(model, inputs, targets, loss_fn, micro_batch):
    rows = len(inputs)
    if micro_batch < 1 or rows == 0 or len(targets) != rows:
        raise ValueError("expected rows and targets for them")
    total = 0.0
    for start in range(0, rows, micro_batch):
        x, y = inputs[start : start + micro_batch], targets[start : start + micro_batch]
        loss = loss_fn(model(x.to(next(model.parameters()).dtype)), y) * (len(x) / rows)
        loss.backward()
        total += loss.item()
    return total
