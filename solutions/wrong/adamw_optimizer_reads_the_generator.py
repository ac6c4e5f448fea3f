"""adamw_optimizer: looks through the parameters for groups, which uses a generator up

Breaks: it computes the same as `torch.optim.AdamW`
"""


class AdamW(AdamW):
    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2):
        _check_adam(lr, betas, eps, weight_decay)
        defaults = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay}
        for group in params:
            if isinstance(group, dict):
                _check_adam(**{**defaults, **{k: v for k, v in group.items() if k != "params"}})
        torch.optim.Optimizer.__init__(self, params, defaults)
