"""adamw_optimizer: settings out of range are refused by the first step, not by the constructor"""

import torch


class AdamW(AdamW):
    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2):
        defaults = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay}
        torch.optim.Optimizer.__init__(self, params, defaults)

    add_param_group = torch.optim.Optimizer.add_param_group
