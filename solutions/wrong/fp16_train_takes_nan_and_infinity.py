"""fp16_train: settings of nan or infinity are not below their limits, and pass

Breaks: nan is outside every range

Breaks: greater than 0 and finite

Breaks: a setting is out of range
"""

_right_train = train_fp16


def train_fp16(
    model,
    optimizer,
    batches,
    loss_fn,
    *,
    init_scale,
    growth_interval,
    growth_factor=2.0,
    backoff_factor=0.5,
    max_norm=None,
):
    def usable(value, otherwise):
        return value if math.isfinite(value) else otherwise

    settings = {
        "init_scale": usable(init_scale, 65536.0),
        "growth_interval": growth_interval,
        "growth_factor": usable(growth_factor, 2.0),
        "backoff_factor": usable(backoff_factor, 0.5),
        "max_norm": max_norm,
    }
    return _right_train(model, optimizer, batches, loss_fn, **settings)
