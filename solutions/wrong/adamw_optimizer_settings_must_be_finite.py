"""adamw_optimizer: an infinite setting is refused

Breaks: infinity is inside those without an upper end
"""

import math


class AdamW(AdamW):
    def add_param_group(self, param_group):
        for name in ("lr", "eps", "weight_decay"):
            if not math.isfinite(param_group.get(name, self.defaults[name])):
                raise ValueError("not finite")
        super().add_param_group(param_group)
