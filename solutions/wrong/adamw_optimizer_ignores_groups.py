"""adamw_optimizer: takes the settings it was made with, not those of each group

Breaks: with its group's current settings
"""


class AdamW(AdamW):
    def step(self, closure=None):
        kept = [dict(group) for group in self.param_groups]
        for group in self.param_groups:
            group.update(self.defaults)
        loss = super().step(closure)
        for group, own in zip(self.param_groups, kept):
            group.update({name: own[name] for name in self.defaults})
        return loss
