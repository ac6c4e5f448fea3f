"""adamw_optimizer: a group that is refused has been added already

Breaks: No group has been added
"""


class AdamW(AdamW):
    def add_param_group(self, param_group):
        torch.optim.Optimizer.add_param_group(self, param_group)
        _check_adam(**{name: param_group[name] for name in self.defaults})
