"""adamw_optimizer: a class of its own that does what an optimizer does, which schedulers refuse

Breaks: AdamW as a `torch.optim.Optimizer`
"""

_AdamW = AdamW


class AdamW:
    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2):
        self._inner = _AdamW(params, lr, betas, eps, weight_decay)

    def __getattr__(self, name):
        return getattr(self._inner, name)
