"""checkpoint_roundtrip: without a file the run starts at step 0

Breaks: the file does not exist
"""

_right_load = load_checkpoint


def load_checkpoint(path, model, optimizer):
    return _right_load(path, model, optimizer) if os.path.exists(path) else 0
