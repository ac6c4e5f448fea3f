"""accumulate_gradients: adds up means without dividing

Breaks: Adds the gradient of the whole batch to each parameter's gradient

Breaks: The mean loss of the whole batch
"""

_right = accumulate_gradients


def accumulate_gradients(model, inputs, targets, loss_fn, micro_batch):
    if micro_batch < 1 or len(inputs) == 0 or len(inputs) != len(targets):
        raise ValueError
    total = 0.0
    for x, y in zip(inputs.split(micro_batch), targets.split(micro_batch)):
        loss = loss_fn(model(x), y)
        loss.backward()
        total += loss.item()
    return total
