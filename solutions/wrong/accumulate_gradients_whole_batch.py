"""accumulate_gradients (core): one pass of the whole batch

Breaks: one micro-batch at a time

Breaks: Micro-batches are slices of
"""


def accumulate_gradients(model, inputs, targets, loss_fn, micro_batch):
    if micro_batch < 1 or len(inputs) == 0 or len(inputs) != len(targets):
        raise ValueError("no rows, or lengths differ")
    loss = loss_fn(model(inputs), targets)
    loss.backward()
    return loss.item()
