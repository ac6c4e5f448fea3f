"""fast_adamw: keeps the moments in new tensors

Breaks: changed in place
"""

_right_adamw_update = adamw_update


def adamw_update(params, grads, exp_avgs, exp_avg_sqs, **settings):
    _right_adamw_update(
        params, grads, [m.clone() for m in exp_avgs], [v.clone() for v in exp_avg_sqs], **settings
    )
