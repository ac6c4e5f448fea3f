"""adamw_optimizer: only the defaults are checked, and no group's own settings"""


class AdamW(AdamW):
    add_param_group = torch.optim.Optimizer.add_param_group
