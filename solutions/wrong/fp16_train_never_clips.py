"""fp16_train: max_norm is checked and not used

Breaks: otherwise the gradients are clipped, if `max_norm` is given

Breaks: If given, and if the L2 norm of all unscaled gradients together is above it, the gradients
are multiplied by `max_norm / norm`
"""

_right_train = train_fp16


def train_fp16(model, optimizer, batches, loss_fn, *, max_norm=None, **settings):
    _right_train(model, optimizer, [], loss_fn, max_norm=max_norm, **settings)
    return _right_train(model, optimizer, batches, loss_fn, **settings)
