"""checkpoint_atomic: the temporary file is copied onto the last checkpoint instead of renamed

Breaks: `os.replace` `path` with it,

Costs: that a reader always finds a whole checkpoint is what most checks are about.
"""

_save = save_checkpoint


def save_checkpoint(path, model, optimizer, step):
    import shutil

    beside = str(path) + ".new"
    _save(beside, model, optimizer, step)
    shutil.copyfile(beside, path)
    os.remove(beside)
