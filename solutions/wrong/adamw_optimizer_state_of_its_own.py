"""adamw_optimizer: keeps the moments in a dict of its own, which state_dict() does not save

Breaks: `self.state[p]` holds, for each parameter that has had a gradient

Breaks: So the inherited `state_dict()` and `load_state_dict()` save and restore everything
"""


class AdamW(AdamW):
    def step(self, closure=None):
        own = self.__dict__.setdefault("moments", {})
        for p, entry in own.items():
            self.state[p] = entry
        loss = super().step(closure)
        own.update(self.state)
        self.state.clear()
        return loss
