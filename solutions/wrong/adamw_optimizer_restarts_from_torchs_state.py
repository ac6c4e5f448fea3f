"""adamw_optimizer: a state whose step is no int is taken for none, and starts again

Breaks: The state may come from a `state_dict()` of `torch.optim.AdamW`, where "step" is a tensor
that holds a whole number
"""


class AdamW(AdamW):
    def step(self, closure=None):
        for p, state in list(self.state.items()):
            if not isinstance(state.get("step"), int):
                del self.state[p]
        return super().step(closure)
