"""adamw_optimizer: adds groups by hand, and takes a single parameter for a list of its rows

Breaks: Adds a group, as `torch.optim.Optimizer` does
"""


class AdamW(AdamW):
    def add_param_group(self, param_group):
        group = {"params": list(param_group["params"])}
        for name, default in self.defaults.items():
            group[name] = param_group.get(name, default)
        _check_adam(group["lr"], group["betas"], group["eps"], group["weight_decay"])
        self.param_groups.append(group)
