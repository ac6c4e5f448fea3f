"""adamw_step (core): a step of Adam, whose decay is part of the gradient

Breaks: p ← p · (1 − lr · weight_decay); the decay never enters m or v
"""


def adamw_step(params, grads, exp_avgs, exp_avg_sqs, *, step, lr, betas, eps, weight_decay):
    settings = {"step": step, "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay}
    adam_step(params, grads, exp_avgs, exp_avg_sqs, **settings)
