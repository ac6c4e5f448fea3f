"""checkpoint_roundtrip: numbers that are not finite are replaced

Breaks: resumes it bit for bit
"""

import os
from pathlib import Path

import torch


def save_checkpoint(path, model, optimizer, step):
    path = Path(path)
    content = {
        "model": {
            k: torch.nan_to_num(v) if torch.is_tensor(v) else v
            for k, v in model.state_dict().items()
        },
        "optimizer": optimizer.state_dict(),
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
