"""train_loop: calls the loss with the targets first, the outputs second"""

the_right_train = train


def train(model, optimizer, batches, loss_fn):
    swapped = lambda outputs, targets: loss_fn(targets, outputs)
    return the_right_train(model, optimizer, batches, swapped)
