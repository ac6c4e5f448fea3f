"""adamw_optimizer: gives each parameter new storage instead of changing it in place

Breaks: Parameters are changed in place
"""


class AdamW(AdamW):
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                p.data = p.data.clone()
        return super().step(closure)
