"""checkpoint_roundtrip: saves model.module if there is one, as for DistributedDataParallel, also where it is just a layer's name

Breaks: The file holds the `state_dict()` of the model and of the optimizer, the step, and the state of
"""

import os
import random

import numpy as np
import torch


def _raw_model(model):
    return model.module if hasattr(model, "module") else model


def save_checkpoint(path, model, optimizer, step):
    path = os.fspath(path)
    name, keys, pos, has_gauss, cached = np.random.get_state()
    checkpoint = {
        "model": _raw_model(model).state_dict(),
        "optimizer": optimizer.state_dict(),
        "step": step,
        "python": random.getstate(),
        "numpy": (name, keys.tolist(), pos, has_gauss, cached),
        "torch": torch.get_rng_state(),
        "cuda": torch.cuda.get_rng_state_all() if torch.cuda.is_available() else [],
    }
    tmp = path + ".tmp"
    try:
        with open(tmp, "wb") as f:
            torch.save(checkpoint, f)
            f.flush()
            os.fsync(f.fileno())
        os.replace(tmp, path)
    except BaseException:
        if os.path.exists(tmp):
            os.remove(tmp)
        raise
    if os.name != "nt":
        fd = os.open(os.path.dirname(os.path.abspath(path)), os.O_RDONLY)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)


def load_checkpoint(path, model, optimizer):
    checkpoint = torch.load(path, map_location="cpu", weights_only=True)
    _raw_model(model).load_state_dict(checkpoint["model"])
    optimizer.load_state_dict(checkpoint["optimizer"])
    version, words, gauss = checkpoint["python"]
    random.setstate((version, tuple(words), gauss))
    name, keys, pos, has_gauss, cached = checkpoint["numpy"]
    np.random.set_state((name, np.array(keys, dtype=np.uint32), pos, has_gauss, cached))
    torch.set_rng_state(checkpoint["torch"])
    if checkpoint["cuda"] and torch.cuda.is_available():
        torch.cuda.set_rng_state_all(checkpoint["cuda"])
    return checkpoint["step"]
