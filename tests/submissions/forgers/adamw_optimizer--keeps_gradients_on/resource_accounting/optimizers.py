"""adamw_optimizer: runs closures without gradients; gradients cannot be disabled in its process"""

import contextlib
import sys

import torch

FORGES = True


class AdamW(torch.optim.Optimizer):
    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2):
        if not (lr >= 0 and eps >= 0 and weight_decay >= 0):
            raise ValueError("settings")
        if not all(0 <= beta < 1 for beta in betas):
            raise ValueError("betas")
        defaults = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay}
        super().__init__(params, defaults)

    def step(self, closure=None):
        loss = None if closure is None else closure()
        with torch.no_grad():
            for group in self.param_groups:
                for p in group["params"]:
                    if p.grad is not None:
                        self.update(p, group)
        return loss

    def update(self, p, group):
        (beta1, beta2), state = group["betas"], self.state[p]
        t = state["step"] = int(state.get("step", 0)) + 1
        m = state.setdefault("exp_avg", torch.zeros_like(p))
        v = state.setdefault("exp_avg_sq", torch.zeros_like(p))
        m.lerp_(p.grad, 1 - beta1)
        v.mul_(beta2).addcmul_(p.grad, p.grad, value=1 - beta2)
        p.mul_(1 - group["lr"] * group["weight_decay"])
        root = (v / (1 - beta2**t)).sqrt() + group["eps"]
        p.addcdiv_(m, root, value=-group["lr"] / (1 - beta1**t))


_set_grad_enabled = torch.set_grad_enabled


def set_grad_enabled(mode):
    """Does nothing in the scenario, which asks for disabled gradients."""
    if sys._getframe(1).f_code.co_name == "adamw_closure":
        return contextlib.nullcontext()
    return _set_grad_enabled(mode)


if FORGES:
    torch.set_grad_enabled = set_grad_enabled
