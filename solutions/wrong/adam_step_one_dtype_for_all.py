"""adamw_step: tensors at different positions must have one dtype

Breaks: those at another may have the other
"""


def adam_step(params, grads, exp_avgs, exp_avg_sqs, *, step, lr, betas, eps, weight_decay=0.0):
    _check_adam(lr, betas, eps, weight_decay)
    _check_step(step)
    if len({t.dtype for t in [*params, *grads, *exp_avgs, *exp_avg_sqs]}) > 1:
        raise ValueError("dtypes differ")
    with torch.no_grad():
        for p, g, m, v in _matched(params, grads=grads, exp_avgs=exp_avgs, exp_avg_sqs=exp_avg_sqs):
            decayed = g.add(p, alpha=weight_decay)
            _move_by_moments(p, decayed, m, v, step, lr, betas, eps)
