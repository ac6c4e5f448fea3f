"""adamw_optimizer: the average square never falls, as with amsgrad

Breaks: it computes the same as `torch.optim.AdamW`
"""


class AdamW(AdamW):
    def step(self, closure=None):
        before = {p: s["exp_avg_sq"].clone() for p, s in self.state.items()}
        loss = super().step(closure)
        for p, old in before.items():
            self.state[p]["exp_avg_sq"].copy_(torch.maximum(old, self.state[p]["exp_avg_sq"]))
        return loss
