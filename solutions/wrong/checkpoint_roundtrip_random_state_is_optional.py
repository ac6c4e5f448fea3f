"""checkpoint_roundtrip: a file without a random state is taken, too

Breaks: the file is not a checkpoint
"""

import torch


def load_checkpoint(path, model, optimizer):
    content = torch.load(path, map_location="cpu", weights_only=True)
    model.load_state_dict(content["model"])
    optimizer.load_state_dict(content["optimizer"])
    if "random" in content:
        _set_random_state(content["random"])
    return content["step"]
