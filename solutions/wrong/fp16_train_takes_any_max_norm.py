"""fp16_train: max_norm is not checked, and a negative one turns the gradients round

Breaks: a setting is out of range
"""

_right_train = train_fp16
_right_clip = _clip


def train_fp16(model, optimizer, batches, loss_fn, *, max_norm=None, **settings):
    global _clip

    def _clip(optimizer, _):
        _right_clip(optimizer, max_norm)

    given = None if max_norm is None else 1.0
    return _right_train(model, optimizer, batches, loss_fn, max_norm=given, **settings)
