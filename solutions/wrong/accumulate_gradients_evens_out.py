"""accumulate_gradients: chunk(n) makes micro-batches of nearly one size

Breaks: Micro-batches are slices of `micro_batch` rows, in order
"""


def accumulate_gradients(model, inputs, targets, loss_fn, micro_batch):
    if micro_batch < 1 or len(inputs) == 0 or len(inputs) != len(targets):
        raise ValueError
    parts = -(-len(inputs) // micro_batch)
    total = 0.0
    for x, y in zip(inputs.tensor_split(parts), targets.tensor_split(parts)):
        loss = loss_fn(model(x), y) * (len(x) / len(inputs))
        loss.backward()
        total += loss.item()
    return total
