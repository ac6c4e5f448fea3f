"""checkpoint_roundtrip: the optimizer's state is saved in float32

Breaks: The file holds the `state_dict()`
"""

import os
from pathlib import Path

import torch


def save_checkpoint(path, model, optimizer, step):
    path = Path(path)
    saved = optimizer.state_dict()
    saved = saved | {
        "state": {
            i: {k: v.float() if torch.is_tensor(v) else v for k, v in entry.items()}
            for i, entry in saved["state"].items()
        }
    }
    content = {
        "model": model.state_dict(),
        "optimizer": saved,
        "step": step,
        "random": _random_state(),
    }
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
