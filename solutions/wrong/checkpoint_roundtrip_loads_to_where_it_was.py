"""checkpoint_roundtrip: tensors are loaded to the devices that they were saved on

Breaks: Loads to the CPU first, so that a checkpoint saved on a GPU can be loaded without one
"""


def load_checkpoint(path, model, optimizer):
    content = torch.load(path, weights_only=True)
    model.load_state_dict(content["model"])
    optimizer.load_state_dict(content["optimizer"])
    _set_random_state(content["random"])
    return content["step"]
