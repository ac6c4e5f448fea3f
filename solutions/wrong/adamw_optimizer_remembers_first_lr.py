"""adamw_optimizer: keeps the learning rate of the first step, whatever a scheduler sets later

Breaks: A scheduler may change settings between steps

Breaks: with its group's current settings
"""


class AdamW(AdamW):
    def step(self, closure=None):
        if not hasattr(self, "first_lrs"):
            self.first_lrs = [group["lr"] for group in self.param_groups]
        now = [group["lr"] for group in self.param_groups]
        for group, lr in zip(self.param_groups, self.first_lrs):
            group["lr"] = lr
        loss = super().step(closure)
        for group, lr in zip(self.param_groups, now):
            group["lr"] = lr
        return loss
