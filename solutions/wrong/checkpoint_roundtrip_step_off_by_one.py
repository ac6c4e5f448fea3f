"""checkpoint_roundtrip: the next step is returned, so that one step is left out

Breaks: The saved step. The next step to take is the one after it.
"""

_load = load_checkpoint


def load_checkpoint(path, model, optimizer):
    return _load(path, model, optimizer) + 1
