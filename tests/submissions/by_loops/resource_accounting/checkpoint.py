"""Checkpoints, piece by piece."""

import os
import random

import numpy as np
import torch


def save_checkpoint(path, model, optimizer, step):
    path = os.fspath(path)
    temporary = path + ".part"
    weights = {}
    for name, tensor in model.state_dict().items():
        weights[name] = tensor
    drawn = np.random.get_state(legacy=False)
    keys = []
    for key in drawn["state"]["key"]:
        keys.append(int(key))
    version, numbers, gauss = random.getstate()
    content = {
        "step": step,
        "weights": weights,
        "optimizer": optimizer.state_dict(),
        "torch": torch.random.get_rng_state(),
        "numpy": [keys, int(drawn["state"]["pos"]), int(drawn["has_gauss"]), float(drawn["gauss"])],
        "python": [version, list(numbers), gauss],
    }
    try:
        file = open(temporary, "wb")
        try:
            torch.save(content, file)
            file.flush()
            os.fsync(file.fileno())
        finally:
            file.close()
        os.replace(temporary, path)
    finally:
        if os.path.exists(temporary):
            os.remove(temporary)
    folder = os.open(os.path.dirname(os.path.abspath(path)), os.O_RDONLY)
    os.fsync(folder)
    os.close(folder)


def load_checkpoint(path, model, optimizer):
    with open(path, "rb") as file:
        content = torch.load(file, weights_only=True, map_location="cpu")
    model.load_state_dict(content["weights"], strict=True)
    optimizer.load_state_dict(content["optimizer"])
    torch.random.set_rng_state(content["torch"])
    keys, position, has_gauss, gauss = content["numpy"]
    np.random.set_state(
        {
            "bit_generator": "MT19937",
            "state": {"key": np.array(keys, dtype=np.uint32), "pos": position},
            "has_gauss": has_gauss,
            "gauss": gauss,
        }
    )
    version, numbers, gauss = content["python"]
    random.setstate((version, tuple(numbers), gauss))
    return content["step"]
