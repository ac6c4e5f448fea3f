"""adamw_optimizer: keeps the moments in float64 for all parameters

Breaks: "exp_avg" and "exp_avg_sq" (tensors of p's shape and dtype, initially zeros)
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
                    state["exp_avg"] = torch.zeros_like(p, dtype=torch.float64)
                    state["exp_avg_sq"] = torch.zeros_like(p, dtype=torch.float64)
                state["step"] = int(state["step"]) + 1
                g = p.grad
                wide = p.detach().double()
                adamw_step(
                    [wide],
                    [g.double()],
                    [state["exp_avg"]],
                    [state["exp_avg_sq"]],
                    step=state["step"],
                    lr=group["lr"],
                    betas=group["betas"],
                    eps=group["eps"],
                    weight_decay=group["weight_decay"],
                )
                with torch.no_grad():
                    p.copy_(wide)
                continue
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

        return loss
