"""checkpoint_atomic: a file that cannot be written is a warning, and the run goes on

Breaks: OSError: the file cannot be written
"""

import warnings

_right_save = save_checkpoint


def save_checkpoint(path, model, optimizer, step):
    try:
        _right_save(path, model, optimizer, step)
    except OSError as error:
        warnings.warn(f"not saved: {error}", stacklevel=2)
