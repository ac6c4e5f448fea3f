"""train_loop: gradients become zeros, so that what a batch does not use decays

Breaks: are ignored, as if they were None
"""

_right_train = train


class _Zeroing:
    """The optimizer, whose gradients are cleared to zeros."""

    def __init__(self, optimizer):
        self._optimizer = optimizer

    def __getattr__(self, name):
        return getattr(self._optimizer, name)

    def zero_grad(self):
        self._optimizer.zero_grad(set_to_none=False)


def train(model, optimizer, batches, loss_fn):
    return _right_train(model, _Zeroing(optimizer), batches, loss_fn)
