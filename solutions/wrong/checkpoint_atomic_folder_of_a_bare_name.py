"""checkpoint_atomic: a name without a folder is in the folder '', which cannot be opened

Breaks: in a folder that exists
"""

_sync = _sync_folder
_right_save = save_checkpoint


def save_checkpoint(path, model, optimizer, step):
    _right_save(path, model, optimizer, step)
    _sync(os.path.dirname(path))
