"""fp16_train: the forward and the backward pass run under autocast"""

_right_train = train_fp16


class _Inside:
    """The loss of one batch, whose backward pass runs under autocast."""

    def __init__(self, loss):
        self._loss, self.item = loss, loss.item

    def __mul__(self, scale):
        return _Inside(self._loss * scale)

    def backward(self):
        with torch.autocast(self._loss.device.type, dtype=torch.float16):
            self._loss.backward()


def train_fp16(model, optimizer, batches, loss_fn, **settings):
    def inside(outputs, targets):
        return _Inside(loss_fn(outputs, targets))

    return _right_train(model, optimizer, batches, inside, **settings)
