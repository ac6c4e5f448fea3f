"""checkpoint_roundtrip: the saved state is added to what the optimizer has

Breaks: its state and settings are overwritten
"""

import torch


def load_checkpoint(path, model, optimizer):
    content = torch.load(path, map_location="cpu", weights_only=True)
    model.load_state_dict(content["model"])
    before = dict(optimizer.state)
    optimizer.load_state_dict(content["optimizer"])
    for parameter, state in before.items():
        optimizer.state.setdefault(parameter, state)
    _set_random_state(content["random"])
    return content["step"]
