"""accumulate_gradients: the losses are summed as tensors, so that every graph is held

Breaks: Only one micro-batch's activations are in memory at a time
"""


def accumulate_gradients(model, inputs, targets, loss_fn, micro_batch):
    if micro_batch < 1 or len(inputs) == 0 or len(inputs) != len(targets):
        raise ValueError
    total = 0.0
    for x, y in zip(inputs.split(micro_batch), targets.split(micro_batch)):
        loss = loss_fn(model(x), y) * (len(x) / len(inputs))
        loss.backward()
        total = total + loss
    return total.item()
