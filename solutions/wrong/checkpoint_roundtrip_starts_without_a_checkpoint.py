"""checkpoint_roundtrip: with a file that is no zip the run starts at step 0

Breaks: the file is not a checkpoint
"""

import zipfile

_right_load = load_checkpoint


def load_checkpoint(path, model, optimizer):
    if os.path.exists(path) and not zipfile.is_zipfile(path):
        return 0
    return _right_load(path, model, optimizer)
