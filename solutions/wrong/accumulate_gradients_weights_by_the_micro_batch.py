"""accumulate_gradients: a micro-batch of more rows than there are weighs less than all

Breaks: may be more than the batch has

Breaks: The mean loss of the whole batch
"""


def accumulate_gradients(model, inputs, targets, loss_fn, micro_batch):
    if micro_batch < 1 or len(inputs) == 0 or len(inputs) != len(targets):
        raise ValueError
    total = 0.0
    for x, y in zip(inputs.split(micro_batch), targets.split(micro_batch)):
        loss = loss_fn(model(x), y) * (len(x) / max(len(inputs), micro_batch))
        loss.backward()
        total += loss.item()
    return total
