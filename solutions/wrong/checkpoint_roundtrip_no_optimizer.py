"""checkpoint_roundtrip: the optimizer's state is not saved, and starts anew

Breaks: its state and settings are overwritten
"""

_load = load_checkpoint


def load_checkpoint(path, model, optimizer):
    return _load(
        path,
        model,
        type(optimizer)([{"params": list(g["params"])} for g in optimizer.param_groups]),
    )
