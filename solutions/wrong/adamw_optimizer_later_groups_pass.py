"""adamw_optimizer: the constructor checks its groups, but a group added later passes

Breaks: a setting is out of range
"""


class AdamW(AdamW):
    def __init__(self, params, **settings):
        super().__init__(params, **settings)
        self.is_made = True

    def add_param_group(self, param_group):
        if getattr(self, "is_made", False):
            torch.optim.Optimizer.add_param_group(self, param_group)
        else:
            super().add_param_group(param_group)
