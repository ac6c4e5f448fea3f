"""checkpoint_roundtrip: saves the model in float32, also its float64 parameters

Breaks: Saves a run to a file, so that `load_checkpoint` resumes it bit for bit.
"""

import os
import random

import numpy as np
import torch


def save_checkpoint(path, model, optimizer, step):
    path = os.fspath(path)
    name, keys, *rest = np.random.get_state()
    content = {
        "model": {
            k: v.float() if torch.is_tensor(v) and v.is_floating_point() else v
            for k, v in model.state_dict().items()
        },
        "optimizer": optimizer.state_dict(),
        "step": step,
        "torch": torch.get_rng_state(),
        "cuda": torch.cuda.get_rng_state_all() if torch.cuda.is_available() else [],
        "numpy": (name, keys.tolist(), *rest),
        "python": random.getstate(),
    }
    temporary = path + ".tmp"
    try:
        with open(temporary, "wb") as file:
            torch.save(content, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        if os.path.exists(temporary):
            os.remove(temporary)
        raise
    if os.name != "nt":
        folder = os.open(os.path.dirname(os.path.abspath(path)), os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def load_checkpoint(path, model, optimizer):
    content = torch.load(path, map_location="cpu", weights_only=True)
    model.load_state_dict(content["model"])
    optimizer.load_state_dict(content["optimizer"])
    torch.set_rng_state(content["torch"])
    if torch.cuda.is_available():
        torch.cuda.set_rng_state_all(content["cuda"])
    name, keys, *rest = content["numpy"]
    np.random.set_state((name, np.array(keys, dtype=np.uint32), *rest))
    version, words, gauss = content["python"]
    random.setstate((version, tuple(words), gauss))
    return content["step"]
