"""adamw_step: settings are compared by their smallest and largest, and nan passes

Breaks: nan is outside every range

Breaks: the learning rate, 0 or more

Breaks: β1 and β2, each at least 0 and less than 1

Breaks: 0 or more
"""


def adam_step(params, grads, exp_avgs, exp_avg_sqs, *, step, lr, betas, eps, weight_decay=0.0):
    if min(lr, eps, weight_decay, *betas) < 0 or max(betas) >= 1 or step < 1:
        raise ValueError("a setting is out of range")
    matched = _matched(params, grads=grads, exp_avgs=exp_avgs, exp_avg_sqs=exp_avg_sqs)
    with torch.no_grad():
        for p, g, m, v in matched:
            _move_by_moments(p, g.add(p, alpha=weight_decay), m, v, step, lr, betas, eps)
