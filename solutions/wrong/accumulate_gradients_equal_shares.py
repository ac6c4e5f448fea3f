"""accumulate_gradients: divides by the number of micro-batches, also for a smaller last one

Breaks: the last one has the rows that are left, and less weight if these are fewer

Breaks: The mean loss of the whole batch
"""


def accumulate_gradients(model, inputs, targets, loss_fn, micro_batch):
    if micro_batch < 1 or len(inputs) == 0 or len(inputs) != len(targets):
        raise ValueError
    parts = list(zip(inputs.split(micro_batch), targets.split(micro_batch)))
    total = 0.0
    for x, y in parts:
        loss = loss_fn(model(x), y) / len(parts)
        loss.backward()
        total += loss.item()
    return total
