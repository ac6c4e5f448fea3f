"""checkpoint_roundtrip: the model gets new parameters, and its optimizer keeps the old ones

Breaks: they are overwritten in place
"""


def load_checkpoint(path, model, optimizer):
    content = torch.load(path, map_location="cpu", weights_only=True)
    model.load_state_dict(content["model"], assign=True)
    optimizer.load_state_dict(content["optimizer"])
    _set_random_state(content["random"])
    return content["step"]
