"""checkpoint_roundtrip: loads with weights_only=False, which runs code from the file

Breaks: loading must run no code from the file

Breaks: Loads with `weights_only=True`, since a pickle may run any code while it is being read
"""


def load_checkpoint(path, model, optimizer):
    content = torch.load(path, map_location="cpu", weights_only=False)
    model.load_state_dict(content["model"])
    optimizer.load_state_dict(content["optimizer"])
    _set_random_state(content["random"])
    return int(content["step"])
