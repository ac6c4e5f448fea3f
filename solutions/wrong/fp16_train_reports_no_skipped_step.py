"""fp16_train: a skipped step leaves no loss and no scale in the lists

Breaks: Two lists with a number for each batch, skipped or not
"""

_right_train = train_fp16


def train_fp16(model, optimizer, batches, loss_fn, *, backoff_factor=0.5, **settings):
    losses, scales = _right_train(
        model, optimizer, batches, loss_fn, backoff_factor=backoff_factor, **settings
    )
    taken = [i for i in range(len(scales) - 1) if scales[i + 1] >= scales[i]]
    taken += [len(scales) - 1] if losses and math.isfinite(losses[-1]) else []
    return [losses[i] for i in taken], [scales[i] for i in taken]
