"""adamw_optimizer: looks at each parameter of a group, which uses a generator up

Breaks: Adds a group, as `torch.optim.Optimizer` does
"""


class AdamW(AdamW):
    def add_param_group(self, param_group):
        params = param_group["params"]
        if not isinstance(params, torch.Tensor) and not all(
            isinstance(p, torch.Tensor) for p in params
        ):
            raise TypeError("tensors expected")
        super().add_param_group(param_group)
