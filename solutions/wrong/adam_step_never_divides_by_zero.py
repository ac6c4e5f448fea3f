"""adamw_step: eps is at least 1e-12, so that nothing is divided by 0

Breaks: with 0, an element whose m and v are 0 becomes 0 / 0, nan
"""

_right_step = adam_step


def adam_step(params, grads, exp_avgs, exp_avg_sqs, *, eps, **settings):
    eps = max(eps, 1e-12) if eps >= 0 else eps
    _right_step(params, grads, exp_avgs, exp_avg_sqs, eps=eps, **settings)
