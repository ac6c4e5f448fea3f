"""checkpoint_roundtrip: the checkpoint is kept in a global and never written to disk

Breaks: Saves a run to a file
"""

_SAVED = {}


def save_checkpoint(path, model, optimizer, step):
    import copy

    _SAVED[str(path)] = (
        copy.deepcopy(model.state_dict()),
        copy.deepcopy(optimizer.state_dict()),
        _random_state(),
        step,
    )


def load_checkpoint(path, model, optimizer):
    if str(path) not in _SAVED:
        raise FileNotFoundError(path)
    weights, moments, state, step = _SAVED[str(path)]
    model.load_state_dict(weights)
    optimizer.load_state_dict(moments)
    _set_random_state(state)
    return step
