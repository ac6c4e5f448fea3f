"""adamw_optimizer: runs the closure without gradients where its caller has disabled them

Breaks: with gradients enabled
"""

_AdamW = AdamW


class AdamW(_AdamW):
    def step(self, closure=None):
        loss = None if closure is None else closure()
        super().step()
        return loss
