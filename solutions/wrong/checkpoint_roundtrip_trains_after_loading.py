"""checkpoint_roundtrip: sets the model to training after loading

Breaks: Modes and gradients stay
"""

import torch


def load_checkpoint(path, model, optimizer):
    content = torch.load(path, map_location="cpu", weights_only=True)
    model.load_state_dict(content["model"])
    optimizer.load_state_dict(content["optimizer"])
    _set_random_state(content["random"])
    model.train()
    return content["step"]
