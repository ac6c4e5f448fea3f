"""checkpoint_atomic: a path that is a folder gets a file in that folder

Breaks: the file cannot be written, for example because `path` is a folder
"""

from pathlib import Path


_right_save = save_checkpoint


def save_checkpoint(path, model, optimizer, step):
    path = Path(path)
    _right_save(path / "checkpoint.pt" if path.is_dir() else path, model, optimizer, step)
