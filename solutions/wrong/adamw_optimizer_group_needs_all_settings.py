"""adamw_optimizer: a group that is added must have each setting of its own

Breaks: Adds a group, as `torch.optim.Optimizer` does
"""


class AdamW(AdamW):
    def add_param_group(self, param_group):
        _check_adam(*(param_group[name] for name in ("lr", "betas", "eps", "weight_decay")))
        super().add_param_group(param_group)
