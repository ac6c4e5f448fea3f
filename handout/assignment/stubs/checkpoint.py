"""Checkpoints: everything that a run needs to resume as if it had never stopped.

A run consists of its model, its optimizer, its step and its random state. Saving must survive
being killed at any moment, and loading must run no code from the file.
"""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Any

import numpy as np
import torch


def save_checkpoint(
    path: str | Path,
    model: torch.nn.Module,
    optimizer: torch.optim.Optimizer,
    step: int,
) -> None:
    """Saves a run to a file, so that `load_checkpoint` resumes it bit for bit.

    The file holds the `state_dict()` of the model and of the optimizer, the step, and the state of
    every global generator: torch's (including each CUDA device's), numpy's
    (`np.random.get_state`) and Python's (`random.getstate`). `torch.load(..., weights_only=True)`
    loads the file: a numpy array must become a list or a tensor. Saving draws no random number and
    changes nothing in the run. The state of a schedule or of a loss scaler is not saved here.

    The save is atomic: whenever the process is killed, `path` holds either the complete last
    checkpoint or the complete new one. In this order:

    1. write to a temporary file in the folder of `path`,
    2. flush it and `os.fsync` it, so that its bytes are on the disk and not only in a buffer,
    3. `os.replace` `path` with it,
    4. `os.fsync` the folder, which holds the names (not possible on Windows: skip this step).

    A save that raises removes its temporary file. One that is killed may leave it behind, but such
    files must not pile up: once a save to `path` has returned, no temporary file of an earlier one
    is left. The simple way is one fixed name, `path` + ".tmp", which each save overwrites. (Then
    two processes must not save to the same path at once.)

    Args:
        path: the file to write, in a folder that exists; no link.
        optimizer: its settings are Python numbers or tensors, none of numpy's.
        step: the number of steps taken so far.

    Raises:
        OSError: the file cannot be written, for example because `path` is a folder. An existing
            checkpoint is kept.
    """
    raise NotImplementedError(
        "checkpoint_roundtrip: not started; see assignment/writeup/checkpoint.md, "
        "or make hint EX=checkpoint_roundtrip"
    )


def load_checkpoint(
    path: str | Path,
    model: torch.nn.Module,
    optimizer: torch.optim.Optimizer,
) -> int:
    """Loads a checkpoint into the model, the optimizer and the global generators.

    Loads with `weights_only=True`, since a pickle may run any code while it is being read. Loads
    to the CPU first, so that a checkpoint saved on a GPU can be loaded without one.

    Args:
        path: a file that `save_checkpoint` wrote.
        model: a model with the same parameters and buffers; they are overwritten in place. Modes
            and gradients stay.
        optimizer: an optimizer over that model's parameters; its state and settings are
            overwritten.

    Returns:
        The saved step. The next step to take is the one after it.

    Raises:
        FileNotFoundError: the file does not exist.
        Exception: the file is not a checkpoint, contains more than plain data (torch raises
            pickle.UnpicklingError), or has other names or shapes than the model. Then model,
            optimizer and generators may be loaded in part.
    """
    raise NotImplementedError(
        "checkpoint_roundtrip: not started; see assignment/writeup/checkpoint.md, "
        "or make hint EX=checkpoint_roundtrip"
    )
