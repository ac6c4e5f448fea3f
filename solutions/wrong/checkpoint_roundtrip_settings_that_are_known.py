"""checkpoint_roundtrip: only settings that the new optimizer has are restored

Breaks: its state and settings are overwritten
"""

import torch


def load_checkpoint(path, model, optimizer):
    content = torch.load(path, map_location="cpu", weights_only=True)
    model.load_state_dict(content["model"])
    saved = content["optimizer"]
    groups = optimizer.state_dict()["param_groups"]
    for group, old in zip(groups, saved["param_groups"], strict=True):
        group.update({name: old[name] for name in group})
    optimizer.load_state_dict({"state": saved["state"], "param_groups": groups})
    _set_random_state(content["random"])
    return content["step"]
