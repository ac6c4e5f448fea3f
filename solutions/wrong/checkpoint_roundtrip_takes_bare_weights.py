"""checkpoint_roundtrip: a file that holds weights alone is taken, as step 0

Breaks: the file is not a checkpoint
"""

import torch


def load_checkpoint(path, model, optimizer):
    content = torch.load(path, map_location="cpu", weights_only=True)
    if "model" not in content:
        model.load_state_dict(content)
        return 0
    model.load_state_dict(content["model"])
    optimizer.load_state_dict(content["optimizer"])
    _set_random_state(content["random"])
    return content["step"]
