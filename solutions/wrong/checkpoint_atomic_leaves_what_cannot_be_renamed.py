"""checkpoint_atomic: cleans up after a failed write, but not after a failed replace

Breaks: A save that raises removes its temporary file.
"""

import os
import random

import numpy as np
import torch


def save_checkpoint(path, model, optimizer, step):
    name, words, *rest = np.random.get_state()
    run = {
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "step": step,
        "rng": (torch.get_rng_state(), (name, words.tolist(), *rest), random.getstate()),
        "cuda": torch.cuda.get_rng_state_all(),
    }
    tmp = f"{path}.tmp"
    try:
        with open(tmp, "wb") as file:
            torch.save(run, file)
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        if os.path.exists(tmp):
            os.remove(tmp)
        raise
    os.replace(tmp, path)
    folder = os.open(os.path.dirname(os.path.abspath(path)), os.O_RDONLY)
    os.fsync(folder)
    os.close(folder)


def load_checkpoint(path, model, optimizer):
    run = torch.load(path, map_location="cpu", weights_only=True)
    model.load_state_dict(run["model"])
    optimizer.load_state_dict(run["optimizer"])
    for restore, state in zip(
        (torch.set_rng_state, np.random.set_state, random.setstate), run["rng"]
    ):
        restore(state)
    if torch.cuda.is_available():
        torch.cuda.set_rng_state_all(run["cuda"])
    return run["step"]
