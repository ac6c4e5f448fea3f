"""checkpoint_roundtrip: an empty file is a run that begins

Breaks: the file is not a checkpoint
"""

import os

import torch


def load_checkpoint(path, model, optimizer):
    if os.path.exists(path) and os.path.getsize(path) == 0:
        return 0
    content = torch.load(path, map_location="cpu", weights_only=True)
    model.load_state_dict(content["model"])
    optimizer.load_state_dict(content["optimizer"])
    _set_random_state(content["random"])
    return content["step"]
