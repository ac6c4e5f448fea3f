"""adamw_optimizer: the step is written out without torch.no_grad(), and autograd refuses it

Breaks: autograd records nothing
"""


class AdamW(AdamW):
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    p.mul_(1 - group["lr"] * group["weight_decay"])
        decays = [group["weight_decay"] for group in self.param_groups]
        for group in self.param_groups:
            group["weight_decay"] = 0.0
        loss = super().step(closure)
        for group, decay in zip(self.param_groups, decays):
            group["weight_decay"] = decay
        return loss
