"""adamw_optimizer: calls the closure and does not return its loss

Breaks: The closure's result, or None without a closure
"""


class AdamW(AdamW):
    def step(self, closure=None):
        super().step(closure)
