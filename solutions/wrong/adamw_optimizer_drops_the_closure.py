"""adamw_optimizer (public): calls the closure and does not return its loss"""


class AdamW(AdamW):
    def step(self, closure=None):
        super().step(closure)
