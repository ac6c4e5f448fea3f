"""checkpoint_roundtrip: loads by assignment and gives the old parameters the new data

Breaks: they are overwritten in place
"""

import torch


def load_checkpoint(path, model, optimizer):
    content = torch.load(path, map_location="cpu", weights_only=True)
    for name, parameter in model.named_parameters():
        if parameter.shape != content["model"][name].shape:
            raise ValueError(name)
        parameter.data = content["model"][name].to(parameter.dtype)
    model.load_state_dict(content["model"])
    optimizer.load_state_dict(content["optimizer"])
    _set_random_state(content["random"])
    return content["step"]
