"""checkpoint_roundtrip: weights become arrays before they are saved, and numpy has no bf16

Breaks: Saves a run to a file, so that `load_checkpoint` resumes it bit for bit.
"""

import os
from pathlib import Path

import torch


def save_checkpoint(path, model, optimizer, step):
    path = Path(path)
    weights = {
        name: torch.from_numpy(tensor.detach().cpu().numpy()) if tensor.dim() else tensor
        for name, tensor in model.state_dict().items()
    }
    content = {
        "model": weights,
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
