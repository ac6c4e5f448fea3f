"""checkpoint_roundtrip: gradients are dropped before a save

Breaks: changes nothing in the run
"""

_right_save = save_checkpoint


def save_checkpoint(path, model, optimizer, step):
    optimizer.zero_grad()
    _right_save(path, model, optimizer, step)
