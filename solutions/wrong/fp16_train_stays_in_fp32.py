"""fp16_train: scales the loss, but the forward pass is in float32

Breaks: with the forward pass in fp16

Breaks: the forward pass and the loss, as in `train_bf16` but in `torch.float16`
"""

_right_train_fp16 = train_fp16


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
    _right_train_fp16(
        model,
        optimizer,
        [],
        loss_fn,
        init_scale=init_scale,
        growth_interval=growth_interval,
        growth_factor=growth_factor,
        backoff_factor=backoff_factor,
    )  # only for its checks
    losses, scales = [], []
    scale, good_steps = init_scale, 0
    for inputs, targets in batches:
        with torch.autocast("cpu", dtype=torch.float16, enabled=False):
            loss = loss_fn(model(inputs), targets)
        losses.append(loss.item())
        scales.append(scale)
        optimizer.zero_grad()
        (loss * scale).backward()
        for grad in _gradients(optimizer):
            grad.mul_(1 / scale)
        if not _all_finite(_gradients(optimizer)):
            scale, good_steps = scale * backoff_factor, 0
            continue
        if max_norm is not None:
            _clip(optimizer, max_norm)
        optimizer.step()
        good_steps += 1
        if good_steps == growth_interval:
            scale, good_steps = scale * growth_factor, 0
    return losses, scales
