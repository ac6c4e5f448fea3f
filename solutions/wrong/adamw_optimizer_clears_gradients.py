"""adamw_optimizer: clears the gradients after the step

Breaks: gradients are not changed
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
                    continue
                state = self.state[p]
                if not state:
                    state["step"] = 0
                    state["exp_avg"] = torch.zeros_like(p)
                    state["exp_avg_sq"] = torch.zeros_like(p)
                state["step"] = int(state["step"]) + 1
                g = p.grad
                adamw_step(
                    [p],
                    [g],
                    [state["exp_avg"]],
                    [state["exp_avg_sq"]],
                    step=state["step"],
                    lr=group["lr"],
                    betas=group["betas"],
                    eps=group["eps"],
                    weight_decay=group["weight_decay"],
                )
                p.grad = None
        return loss
