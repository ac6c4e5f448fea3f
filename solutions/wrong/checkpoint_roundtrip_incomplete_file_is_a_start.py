"""checkpoint_roundtrip: a file that cannot be read to its end is a run that begins

Breaks: the file is not a checkpoint
"""

import torch


def load_checkpoint(path, model, optimizer):
    try:
        content = torch.load(path, map_location="cpu", weights_only=True)
    except (RuntimeError, EOFError):
        return 0
    model.load_state_dict(content["model"])
    optimizer.load_state_dict(content["optimizer"])
    _set_random_state(content["random"])
    return content["step"]
