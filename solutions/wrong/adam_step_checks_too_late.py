"""adamw_step: a shape that does not fit is found half-way, with some tensors already changed

Breaks: No tensor has been changed
"""

_right_step = adam_step


def adam_step(params, grads, exp_avgs, exp_avg_sqs, **settings):
    if not len(params) == len(grads) == len(exp_avgs) == len(exp_avg_sqs):
        raise ValueError("the lists differ in length")
    for one in zip(params, grads, exp_avgs, exp_avg_sqs):
        _right_step(*[[tensor] for tensor in one], **settings)
