"""adamw_optimizer: counts steps once for the optimizer, not for each parameter

Breaks: "step" (how many steps p has taken, an int)

Breaks: its step count does not change
"""


class AdamW(AdamW):
    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        self.count = getattr(self, "count", 0) + 1
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                state.setdefault("exp_avg", torch.zeros_like(p))
                state.setdefault("exp_avg_sq", torch.zeros_like(p))
                state["step"] = self.count
                adamw_step(
                    [p],
                    [p.grad],
                    [state["exp_avg"]],
                    [state["exp_avg_sq"]],
                    step=self.count,
                    lr=group["lr"],
                    betas=group["betas"],
                    eps=group["eps"],
                    weight_decay=group["weight_decay"],
                )
        return loss
