"""adamw_step: a gradient with a nan is skipped whole

Breaks: m ← m + (1 − β1) · (g − m)
"""

_right_step = adam_step


def adam_step(params, grads, exp_avgs, exp_avg_sqs, **settings):
    _right_step([], [], [], [], **settings)
    for p, g, m, v in _matched(params, grads=grads, exp_avgs=exp_avgs, exp_avg_sqs=exp_avg_sqs):
        if g.isfinite().all():
            _right_step([p], [g], [m], [v], **settings)
