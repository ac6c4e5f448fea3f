"""fp16_train: gradients are cleared after each step, so those from before the call count

Breaks: on cleared gradients

Breaks: the gradients of the optimizer's parameters are cleared to None
"""

_right_train = train_fp16


class _Late:
    """The optimizer, whose first zero_grad does nothing."""

    def __init__(self, optimizer):
        self._optimizer, self._calls = optimizer, 0

    def __getattr__(self, name):
        return getattr(self._optimizer, name)

    def zero_grad(self):
        self._calls += 1
        if self._calls > 1:
            self._optimizer.zero_grad()


def train_fp16(model, optimizer, batches, loss_fn, **settings):
    return _right_train(model, _Late(optimizer), batches, loss_fn, **settings)
