"""adamw_optimizer: adds groups by hand, and a parameter of another group steps twice

Breaks: Adds a group, as `torch.optim.Optimizer` does
"""


class AdamW(AdamW):
    def add_param_group(self, param_group):
        group = dict(param_group)
        params = group["params"]
        group["params"] = [params] if isinstance(params, torch.Tensor) else list(params)
        for name, default in self.defaults.items():
            group.setdefault(name, default)
        _check_adam(group["lr"], group["betas"], group["eps"], group["weight_decay"])
        self.param_groups.append(group)
