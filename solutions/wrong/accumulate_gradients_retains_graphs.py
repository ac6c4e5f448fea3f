"""accumulate_gradients: retain_graph=True holds a micro-batch's activations until the next one's are there

Breaks: Only one micro-batch's activations are in memory at a time
"""


def accumulate_gradients(model, inputs, targets, loss_fn, micro_batch):
    rows = len(inputs)
    if micro_batch < 1 or rows == 0 or len(targets) != rows:
        raise ValueError("expected rows and targets for them")
    total = 0.0
    for start in range(0, rows, micro_batch):
        x, y = inputs[start : start + micro_batch], targets[start : start + micro_batch]
        loss = loss_fn(model(x), y) * (len(x) / rows)
        loss.backward(retain_graph=True)
        total += loss.item()
    return total
