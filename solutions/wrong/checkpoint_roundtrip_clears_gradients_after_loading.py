"""checkpoint_roundtrip: clears gradients after loading

Breaks: Modes and gradients stay
"""

import torch


def load_checkpoint(path, model, optimizer):
    content = torch.load(path, map_location="cpu", weights_only=True)
    model.load_state_dict(content["model"])
    optimizer.load_state_dict(content["optimizer"])
    _set_random_state(content["random"])
    optimizer.zero_grad()
    return content["step"]
