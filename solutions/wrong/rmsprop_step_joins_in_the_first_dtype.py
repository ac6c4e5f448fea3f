"""rmsprop_step: joins all tensors into one vector of the first one's dtype

Breaks: those at another may have the other
"""


def rmsprop_step(params, grads, square_avgs, *, lr, alpha, eps):
    _check_not_negative(lr=lr, eps=eps)
    _check_fractions(alpha=alpha)
    matched = list(_matched(params, grads=grads, square_avgs=square_avgs))
    if not matched:
        return
    with torch.no_grad():
        for p, g, v in [
            tuple(
                torch.cat([t.reshape(-1).to(params[0].dtype) for t in ts])
                for ts in (params, grads, square_avgs)
            )
        ]:
            v.mul_(alpha).addcmul_(g, g, value=1 - alpha)
            p.addcdiv_(g, v.sqrt().add_(eps), value=-lr)
            sizes = [q.numel() for q in params]
            for old, new in zip(params, p.split(sizes)):
                old.copy_(new.view(old.shape))
            for old, new in zip(square_avgs, v.split(sizes)):
                old.copy_(new.view(old.shape))
