"""Checkpoints, serialized in memory and written under a temporary name."""

import io
import json
import os
import random
import tempfile
from pathlib import Path

import numpy as np
import torch


def _leftovers(path):
    return path.parent.glob(f".{path.name}.*.new")


def save_checkpoint(path, model, optimizer, step):
    path = Path(path).absolute()
    name, keys, *rest = np.random.get_state()
    buffer = io.BytesIO()
    torch.save(
        [
            torch.tensor(step),
            {"model": model.state_dict(), "optimizer": optimizer.state_dict()},
            torch.get_rng_state(),
            torch.from_numpy(keys.astype(np.int64)),
            json.dumps([name, *rest]),
            json.dumps(random.getstate()),
        ],
        buffer,
    )
    for leftover in _leftovers(path):
        leftover.unlink()
    descriptor, new = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".new", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(buffer.getbuffer())
            file.flush()
            os.fsync(file)
        os.rename(new, path)
    except BaseException:
        os.unlink(new)
        raise
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def load_checkpoint(path, model, optimizer):
    step, states, torch_state, keys, numpy_rest, python_state = torch.load(
        path, map_location=torch.device("cpu"), weights_only=True
    )
    optimizer.load_state_dict(states["optimizer"])
    model.load_state_dict(states["model"])
    name, *rest = json.loads(numpy_rest)
    np.random.set_state((name, keys.numpy().astype(np.uint32), *rest))
    version, internal, gauss = json.loads(python_state)
    random.setstate((version, tuple(internal), gauss))
    torch.set_rng_state(torch_state)
    return int(step)
