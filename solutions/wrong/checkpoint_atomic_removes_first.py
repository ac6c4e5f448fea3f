"""checkpoint_atomic: the last checkpoint is removed before the new one is written

Breaks: An existing checkpoint is kept
"""

_save = save_checkpoint


def save_checkpoint(path, model, optimizer, step):
    Path(path).unlink(missing_ok=True)
    _save(path, model, optimizer, step)
