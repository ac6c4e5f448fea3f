"""fp16_train: reports the scale after each step, not the one that its loss had

Breaks: the scale that its loss was multiplied by

Breaks: So the first scale is `init_scale`
"""

_right_train = train_fp16


def train_fp16(model, optimizer, batches, loss_fn, *, init_scale, **settings):
    scales = _right_train(model, optimizer, batches, loss_fn, init_scale=init_scale, **settings)
    return scales[0], [*scales[1][1:], *scales[1][-1:]]
