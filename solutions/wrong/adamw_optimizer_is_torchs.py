"""adamw_optimizer (core): torch's own AdamW with checks, whose state_dict leaves out what it adds

Breaks: what a scheduler adds, but no other setting

Breaks: so `torch.optim.AdamW`, whose groups hold more, is not the base class
"""

import torch

_NAMES = ("lr", "betas", "eps", "weight_decay")


class AdamW(torch.optim.AdamW):
    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2):
        _check_adam(lr, betas, eps, weight_decay)
        super().__init__(params, lr, betas, eps, weight_decay, foreach=False)

    def add_param_group(self, param_group):
        _check_adam(**{name: param_group.get(name, self.defaults[name]) for name in _NAMES})
        super().add_param_group(param_group)

    def state_dict(self):
        saved, kept = super().state_dict(), {*_NAMES, "params", "initial_lr"}
        saved["param_groups"] = [
            {name: value for name, value in group.items() if name in kept}
            for group in saved["param_groups"]
        ]
        saved["state"] = {n: {**s, "step": int(s["step"])} for n, s in saved["state"].items()}
        return saved

    def load_state_dict(self, state_dict):
        groups = zip(super().state_dict()["param_groups"], state_dict["param_groups"], strict=True)
        own = [{**full, **saved} for full, saved in groups]
        super().load_state_dict({**state_dict, "param_groups": own})
