"""fast_adamw: stacks all tensors to one, which needs equal shapes

Breaks: of any shapes, at least one
"""

_right_adamw_update = adamw_update


def adamw_update(params, grads, exp_avgs, exp_avg_sqs, **settings):
    stacked = [torch.stack(list(tensors)) for tensors in (params, grads, exp_avgs, exp_avg_sqs)]
    _right_adamw_update(*([tensor] for tensor in stacked), **settings)
    for tensors, together in zip((params, exp_avgs, exp_avg_sqs), stacked[:1] + stacked[2:]):
        for tensor, new in zip(tensors, together):
            tensor.copy_(new)
