"""accumulate_gradients: calls the loss with the targets first, the outputs second"""

the_right_accumulate_gradients = accumulate_gradients


def accumulate_gradients(model, inputs, targets, loss_fn, micro_batch):
    swapped = lambda outputs, targets: loss_fn(targets, outputs)
    return the_right_accumulate_gradients(model, inputs, targets, swapped, micro_batch)
