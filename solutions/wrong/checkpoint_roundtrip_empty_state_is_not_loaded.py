"""checkpoint_roundtrip: an optimizer that took no step is not loaded, since it holds nothing

Breaks: its state and settings are overwritten
"""

import torch


def load_checkpoint(path, model, optimizer):
    content = torch.load(path, map_location="cpu", weights_only=True)
    model.load_state_dict(content["model"])
    if content["optimizer"]["state"]:
        optimizer.load_state_dict(content["optimizer"])
    _set_random_state(content["random"])
    return content["step"]
