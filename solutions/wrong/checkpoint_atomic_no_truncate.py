"""checkpoint_atomic: the temporary file is opened without O_TRUNC, so the end of a longer one left behind stays

Breaks: The simple way is one fixed name, `path` + ".tmp", which each save overwrites.
"""

import io
import os
import random

import numpy as np
import torch


def save_checkpoint(path, model, optimizer, step):
    path = os.path.abspath(path)
    kind, keys, position, has_gauss, cached = np.random.get_state()
    version, words, gauss = random.getstate()
    state = {
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "step": step,
        "torch": torch.get_rng_state(),
        "cuda": torch.cuda.get_rng_state_all() if torch.cuda.is_available() else [],
        "numpy": [kind, keys.tolist(), position, has_gauss, cached],
        "python": [version, list(words), gauss],
    }
    data = io.BytesIO()
    torch.save(state, data)
    left = data.getbuffer()
    temporary = path + ".tmp"
    fd = os.open(temporary, os.O_WRONLY | os.O_CREAT, 0o644)
    try:
        try:
            while len(left):
                left = left[os.write(fd, left) :]
            os.fsync(fd)
        finally:
            os.close(fd)
        os.replace(temporary, path)
    except BaseException:
        os.remove(temporary)
        raise
    folder = os.open(os.path.dirname(path), os.O_RDONLY)
    os.fsync(folder)
    os.close(folder)


def load_checkpoint(path, model, optimizer):
    state = torch.load(path, map_location="cpu", weights_only=True)
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    torch.set_rng_state(state["torch"])
    if torch.cuda.is_available():
        torch.cuda.set_rng_state_all(state["cuda"])
    kind, keys, position, has_gauss, cached = state["numpy"]
    np.random.set_state((kind, np.array(keys, dtype=np.uint32), position, has_gauss, cached))
    version, words, gauss = state["python"]
    random.setstate((version, tuple(words), gauss))
    return state["step"]
