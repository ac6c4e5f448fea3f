"""adamw_step: a weight decay above 1 counts as 1

Breaks: 0 or more
"""

_right_adam_step = adam_step


def adam_step(params, grads, exp_avgs, exp_avg_sqs, *, weight_decay=0.0, **settings):
    decay = min(weight_decay, 1.0)
    _right_adam_step(params, grads, exp_avgs, exp_avg_sqs, weight_decay=decay, **settings)
