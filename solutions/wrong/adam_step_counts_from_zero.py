"""adamw_step: t is taken to be 0 for the first step, so the bias correction uses t + 1

Breaks: the number of this step: 1 for the first
"""

_right_step = adam_step


def adam_step(params, grads, exp_avgs, exp_avg_sqs, *, step, **settings):
    if step < 1:
        raise ValueError("expected a step of at least 1")
    _right_step(params, grads, exp_avgs, exp_avg_sqs, step=step + 1, **settings)
