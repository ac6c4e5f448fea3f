"""accumulate_gradients: notices missing targets after it has begun

Breaks: inputs and targets differ in length

Breaks: No gradient has been changed
"""


def accumulate_gradients(model, inputs, targets, loss_fn, micro_batch):
    if micro_batch < 1 or len(inputs) == 0:
        raise ValueError
    total = 0.0
    for i in range(0, len(inputs), micro_batch):
        x, y = inputs[i : i + micro_batch], targets[i : i + micro_batch]
        if len(x) != len(y):
            raise ValueError
        loss = loss_fn(model(x), y) * (len(x) / len(inputs))
        loss.backward()
        total += loss.item()
    return total
