"""checkpoint_roundtrip: strips DDP's "module." from every key, also where the model has it

Breaks: model: a model with the same parameters and buffers; they are overwritten in place.
"""

import os
import random

import numpy as np
import torch


def save_checkpoint(path, model, optimizer, step):
    name, keys, pos, has_gauss, cached = np.random.get_state()
    checkpoint = {
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "step": step,
        "torch": torch.get_rng_state(),
        "cuda": torch.cuda.get_rng_state_all() if torch.cuda.is_available() else [],
        "numpy": (name, keys.tolist(), pos, has_gauss, cached),
        "python": random.getstate(),
    }
    path = os.fspath(path)
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
        fd = os.open(os.path.dirname(path) or ".", os.O_RDONLY)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)


def load_checkpoint(path, model, optimizer):
    checkpoint = torch.load(path, map_location="cpu", weights_only=True)
    # remove DistributedDataParallel's prefix
    prefix = "module."
    weights = {
        k[len(prefix) :] if k.startswith(prefix) else k: v for k, v in checkpoint["model"].items()
    }
    model.load_state_dict(weights)
    optimizer.load_state_dict(checkpoint["optimizer"])
    torch.set_rng_state(checkpoint["torch"])
    if checkpoint["cuda"] and torch.cuda.is_available():
        torch.cuda.set_rng_state_all(checkpoint["cuda"])
    name, keys, pos, has_gauss, cached = checkpoint["numpy"]
    np.random.set_state((name, np.array(keys, dtype=np.uint32), pos, has_gauss, cached))
    version, words, gauss = checkpoint["python"]
    random.setstate((version, tuple(words), gauss))
    return checkpoint["step"]
