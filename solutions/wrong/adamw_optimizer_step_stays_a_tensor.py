"""adamw_optimizer: the step count that torch saved as a tensor stays a tensor

Breaks: The next step of the parameter makes it an int
"""


class AdamW(AdamW):
    def step(self, closure=None):
        were_tensors = [
            state for state in self.state.values() if isinstance(state["step"], torch.Tensor)
        ]
        loss = super().step(closure)
        for state in were_tensors:
            state["step"] = torch.tensor(float(state["step"]))
        return loss
