"""checkpoint_roundtrip: only the model reaches the file, the optimizer's state stays in a global

Breaks: The file holds the `state_dict()` of the model and of the optimizer, the step, and the state
of every global generator
"""

_OPTIMIZER = {}
_save = save_checkpoint
_load = load_checkpoint


def _empty(optimizer):
    return type(optimizer)([{"params": list(g["params"])} for g in optimizer.param_groups])


def save_checkpoint(path, model, optimizer, step):
    import copy

    _save(path, model, _empty(optimizer), step)
    _OPTIMIZER["state"] = copy.deepcopy(optimizer.state_dict())


def load_checkpoint(path, model, optimizer):
    step = _load(path, model, _empty(optimizer))
    if _OPTIMIZER:
        optimizer.load_state_dict(_OPTIMIZER["state"])
    return step
