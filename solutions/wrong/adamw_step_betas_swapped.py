"""adamw_step: each average takes the other's beta

Breaks: m ← m + (1 − β1) · (g − m)

Breaks: v ← β2 · v + (1 − β2) · g²
"""

_right_step = adamw_step


def adamw_step(params, grads, exp_avgs, exp_avg_sqs, *, betas, **settings):
    _right_step(params, grads, exp_avgs, exp_avg_sqs, betas=betas[::-1], **settings)
