"""accumulate_gradients: one backward pass at the end, with every graph in memory

Breaks: one micro-batch at a time

Breaks: its backward pass comes before the next one's forward pass
"""


def accumulate_gradients(model, inputs, targets, loss_fn, micro_batch):
    if micro_batch < 1 or len(inputs) == 0 or len(inputs) != len(targets):
        raise ValueError
    parts = zip(inputs.split(micro_batch), targets.split(micro_batch))
    total = sum(loss_fn(model(x), y) * (len(x) / len(inputs)) for x, y in parts)
    total.backward()
    return total.item()
