"""checkpoint_roundtrip: copies with broadcasting, so that a smaller model's checkpoint is taken

Breaks: or has other names or shapes than the model
"""

import torch


def load_checkpoint(path, model, optimizer):
    content = torch.load(path, map_location="cpu", weights_only=True)
    state = model.state_dict()
    if state.keys() != content["model"].keys():
        raise KeyError("a checkpoint of another model")
    with torch.no_grad():
        for name, tensor in state.items():
            if torch.is_tensor(tensor) and tensor.dim():
                tensor.copy_(content["model"][name])
            else:
                tensor.copy_(content["model"][name]) if tensor.numel() == 1 else None
    optimizer.load_state_dict(content["optimizer"])
    _set_random_state(content["random"])
    return content["step"]
