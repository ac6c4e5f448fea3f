"""checkpoint_roundtrip: the step is saved as a tensor of float32, which has 24 bits

Breaks: The saved step
"""

_right_save = save_checkpoint
_right_load = load_checkpoint


def save_checkpoint(path, model, optimizer, step):
    _right_save(path, model, optimizer, torch.tensor(float(step)))


def load_checkpoint(path, model, optimizer):
    return int(_right_load(path, model, optimizer))
