"""adamw_optimizer (core): torch's own AdamW with checks, whose groups and state hold other things

Breaks: what a scheduler adds, but no other setting

Breaks: so `torch.optim.AdamW`, whose groups hold more, is not the base class
"""

import torch


class AdamW(torch.optim.AdamW):
    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2):
        _check_adam(lr, betas, eps, weight_decay)
        super().__init__(params, lr, betas, eps, weight_decay, foreach=False)

    def add_param_group(self, param_group):
        names = ("lr", "betas", "eps", "weight_decay")
        _check_adam(**{name: param_group.get(name, self.defaults[name]) for name in names})
        super().add_param_group(param_group)
