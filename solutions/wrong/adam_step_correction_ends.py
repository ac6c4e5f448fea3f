"""adamw_step: past step 1000 the moments are no longer corrected

Breaks: p ← p − lr / (1 − β1ᵗ) · m / (√v / √(1 − β2ᵗ) + eps)
"""

_right_step = adam_step


def adam_step(params, grads, exp_avgs, exp_avg_sqs, *, step, **settings):
    if step > 1000:
        step = 10**9
    _right_step(params, grads, exp_avgs, exp_avg_sqs, step=step, **settings)
