"""fp16_train (core): no loss scaling: tiny gradients become zero; the scales are only reported

Breaks: So the loss is multiplied by a scale before the backward pass

Breaks: the backward pass of loss · scale
"""

_right_train_fp16 = train_fp16


def train_fp16(model, optimizer, batches, loss_fn, *, init_scale, **settings):
    losses, scales = _right_train_fp16(
        model, optimizer, batches, loss_fn, init_scale=1.0, **settings
    )
    return losses, [scale * init_scale for scale in scales]
