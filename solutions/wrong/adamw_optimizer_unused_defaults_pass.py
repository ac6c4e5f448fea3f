"""adamw_optimizer: groups are checked, and defaults that no group uses are not"""


class AdamW(AdamW):
    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2):
        defaults = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay}
        torch.optim.Optimizer.__init__(self, params, defaults)
