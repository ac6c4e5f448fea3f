"""adamw_step: step 0 is let through as if it were 1

Breaks: `step` is less than 1
"""

_right_step = adam_step


def adam_step(params, grads, exp_avgs, exp_avg_sqs, *, step, **settings):
    _right_step(params, grads, exp_avgs, exp_avg_sqs, step=step or 1, **settings)
