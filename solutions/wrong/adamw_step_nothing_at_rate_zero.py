"""adamw_step: with a learning rate of 0 nothing is done, and the moments miss a gradient

Breaks: m ← m + (1 − β1) · (g − m)

Breaks: v ← β2 · v + (1 − β2) · g²
"""

_right_step = adamw_step


def adamw_step(params, grads, exp_avgs, exp_avg_sqs, *, lr, **settings):
    if lr == 0:
        _right_step([], [], [], [], lr=lr, **settings)  # checks the settings
        return
    _right_step(params, grads, exp_avgs, exp_avg_sqs, lr=lr, **settings)
