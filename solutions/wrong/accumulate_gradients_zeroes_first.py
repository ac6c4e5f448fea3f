"""accumulate_gradients: clears the gradients that are there"""

_right = accumulate_gradients


def accumulate_gradients(model, inputs, targets, loss_fn, micro_batch):
    if micro_batch < 1 or len(inputs) == 0 or len(inputs) != len(targets):
        raise ValueError
    model.zero_grad()
    return _right(model, inputs, targets, loss_fn, micro_batch)
