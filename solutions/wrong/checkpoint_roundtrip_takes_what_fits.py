"""checkpoint_roundtrip: loads the names that both models have

Breaks: has other names or shapes than the model
"""


def load_checkpoint(path, model, optimizer):
    content = torch.load(path, map_location="cpu", weights_only=True)
    model.load_state_dict(content["model"], strict=False)
    optimizer.load_state_dict(content["optimizer"])
    _set_random_state(content["random"])
    return content["step"]
