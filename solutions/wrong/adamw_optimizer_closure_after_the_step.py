"""adamw_optimizer: the closure is called after the step, which uses the gradients of before

Breaks: called once before the step
"""


class AdamW(AdamW):
    def step(self, closure=None):
        super().step()
        if closure is None:
            return None
        with torch.enable_grad():
            return closure()
