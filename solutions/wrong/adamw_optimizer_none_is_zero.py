"""adamw_optimizer: takes a gradient of None for zeros, so the parameter decays and gets state

Breaks: A parameter whose gradient is None is skipped: it does not decay, it gets no state, and its
step count does not change
"""


class AdamW(AdamW):
    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    p.grad = torch.zeros_like(p)
        super().step()
        return loss
