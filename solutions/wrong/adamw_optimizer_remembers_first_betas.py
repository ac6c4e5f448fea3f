"""adamw_optimizer: keeps the betas of the first step, and heeds only the learning rate

Breaks: A scheduler may change settings between steps
"""


class AdamW(AdamW):
    def step(self, closure=None):
        if not hasattr(self, "first_betas"):
            self.first_betas = [group["betas"] for group in self.param_groups]
        for group, betas in zip(self.param_groups, self.first_betas):
            group["betas"] = betas
        return super().step(closure)
