"""checkpoint_roundtrip: a checkpoint of a later step is not overwritten

Breaks: Saves a run to a file
"""

import os
from pathlib import Path

import torch


def save_checkpoint(path, model, optimizer, step):
    path = Path(path)
    content = {
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "step": step,
        "random": _random_state(),
    }
    if path.is_file():
        try:
            if torch.load(path, weights_only=True)["step"] > step:
                return
        except Exception:
            pass
    temporary = path.with_name(path.name + ".tmp")
    try:
        with temporary.open("wb") as file:
            torch.save(content, file)
            file.flush()
            os.fsync(file)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)
