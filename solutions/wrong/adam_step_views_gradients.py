"""adamw_step: flattens with view, which a gradient that is not contiguous refuses

Breaks: a gradient for each parameter, of its shape
"""


def adam_step(params, grads, exp_avgs, exp_avg_sqs, *, step, lr, betas, eps, weight_decay=0.0):
    _check_adam(lr, betas, eps, weight_decay)
    _check_step(step)
    with torch.no_grad():
        for p, g, m, v in _matched(params, grads=grads, exp_avgs=exp_avgs, exp_avg_sqs=exp_avg_sqs):
            g = g.view(-1).view(p.shape)
            decayed = g.add(p, alpha=weight_decay)
            _move_by_moments(p, decayed, m, v, step, lr, betas, eps)
