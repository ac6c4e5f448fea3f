"""adamw_step: zip stops at the end of the shortest list

Breaks: the four lists differ in length
"""

_right_step = adam_step


def adam_step(params, grads, exp_avgs, exp_avg_sqs, **settings):
    shortest = min(map(len, (params, grads, exp_avgs, exp_avg_sqs)))
    _right_step(
        *[tensors[:shortest] for tensors in (params, grads, exp_avgs, exp_avg_sqs)], **settings
    )
