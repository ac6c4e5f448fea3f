"""adamw_optimizer: skips a gradient of zeros as if it were None

Breaks: A gradient of zeros is not None and takes part
"""


class AdamW(AdamW):
    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None and p.grad.numel() and not p.grad.any():
                    p.grad = None
        super().step()
        return loss
