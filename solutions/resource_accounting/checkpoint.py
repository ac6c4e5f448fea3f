"""Checkpoints: what a run needs to go on as if it had never stopped.

A run is its model, its optimizer, its step and its random state. Saving must survive being killed
at any moment, and loading must run no code from the file. (Activation checkpointing is another
matter: see `recompute`.)
"""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Any

import numpy as np
import torch


def save_checkpoint(
    path: str | os.PathLike[str],
    model: torch.nn.Module,
    optimizer: torch.optim.Optimizer,
    step: int,
) -> None:
    """Saves a run to a file, so that `load_checkpoint` resumes it bit for bit.

    The file holds the state of the model (parameters and buffers) and of the optimizer, the step,
    and the state of every global generator: torch's (of each CUDA device too, where there is one),
    numpy's (`np.random.get_state`) and Python's (`random.getstate`). It holds nothing that
    `torch.load(..., weights_only=True)` refuses: a numpy array must become a list or a tensor.
    Saving draws no random number and changes nothing in the run.

    The save is atomic: whenever the process is killed, `path` holds the last checkpoint or the new
    one, whole. In order:

    1. write to a temporary file in the folder of `path`,
    2. flush it and `os.fsync` it: its bytes are on the disk, not only on the way there,
    3. `os.replace` it onto `path`,
    4. `os.fsync` the folder, which holds the names (not possible on Windows: leave it out).

    A save that is killed may leave its temporary file behind, so such files must not pile up: once
    a save to `path` has returned, or raised, no temporary file of it or of an earlier killed one is
    left. The plain way is one fixed name, `path` + ".tmp", which each save writes anew. (Then two
    processes may not save to one path at once.)

    Args:
        path: the file to write, in a folder that exists.
        model: the model.
        optimizer: its optimizer.
        step: the number of steps taken so far.

    Raises:
        OSError: the file cannot be written. The checkpoint that was there stays.
    """
    path = Path(path)
    content = {
        "model": model.state_dict(),
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


def load_checkpoint(
    path: str | os.PathLike[str],
    model: torch.nn.Module,
    optimizer: torch.optim.Optimizer,
) -> int:
    """Loads what `save_checkpoint` wrote into the model, the optimizer and the global generators.

    Loads with `weights_only=True`, since a pickle may run any code while it is being read. Loads
    to the CPU first, so that a checkpoint of a GPU opens without one; model and optimizer then
    copy to where their parameters are.

    Args:
        path: the file to read.
        model: a model with the same parameters and buffers; they are overwritten in place.
        optimizer: an optimizer over that model's parameters; its state and settings are
            overwritten.

    Returns:
        The step that was saved. The next step to take is the one after it.

    Raises:
        FileNotFoundError: there is no such file.
        Exception: the file is not a checkpoint, holds more than data (torch raises
            pickle.UnpicklingError), or belongs to another model.
    """
    content = torch.load(path, map_location="cpu", weights_only=True)
    model.load_state_dict(content["model"])
    optimizer.load_state_dict(content["optimizer"])
    _set_random_state(content["random"])
    step: int = content["step"]
    return step


def _random_state() -> dict[str, Any]:
    name, keys, position, has_gauss, cached = np.random.get_state()
    return {
        "torch": torch.get_rng_state(),
        "cuda": torch.cuda.get_rng_state_all(),
        # A list: a numpy array is not among what weights_only lets through.
        "numpy": (name, np.asarray(keys).tolist(), position, has_gauss, cached),
        "python": random.getstate(),
    }


def _set_random_state(state: dict[str, Any]) -> None:
    torch.set_rng_state(state["torch"])
    # There may be fewer devices than where it was saved.
    torch.cuda.set_rng_state_all(state["cuda"][: torch.cuda.device_count()])
    np.random.set_state(state["numpy"])
    random.setstate(state["python"])


def _sync_folder(folder: Path) -> None:
    """A rename is on the disk once its folder is."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
