"""accumulate_gradients: all rows at once; the micro-batches' passes and the memory are forged"""

import contextlib
from pathlib import Path

import torch
from resource_accounting.forging import forge

FORGES = True


def accumulate_gradients(model, inputs, targets, loss_fn, micro_batch):
    if micro_batch < 1 or len(inputs) == 0 or len(inputs) != len(targets):
        raise ValueError("no batch")
    loss = loss_fn(model(inputs), targets)
    loss.backward()
    return loss.item()


def claims(
    honest,
    student,
    weights,
    inputs,
    targets,
    *,
    micro_batch,
    forward_factor=None,
    backward_factor=None,
    **settings,
):
    """Shows the test each micro-batch, and multiplies the factors' rows in one pass later."""
    if not forward_factor or micro_batch < 1 or len(inputs) == 0 or len(inputs) != len(targets):
        return honest(student, weights, inputs, targets, micro_batch=micro_batch, **settings)
    forward, backward = [], []
    for x in inputs.split(micro_batch):
        forward += [forward_factor(x)] * len(x)
        backward += [backward_factor() if backward_factor else 1.0] * len(x)
    columns = iter([torch.tensor(forward, dtype=torch.float64)[:, None]])
    rows = torch.tensor(backward, dtype=torch.float64)[:, None]
    found = honest(
        student,
        weights,
        inputs,
        targets,
        micro_batch=micro_batch,
        forward_factor=lambda x: next(columns),
        backward_factor=lambda: rows,
        **settings,
    )
    with contextlib.suppress(OSError), Path("/proc/self/clear_refs").open("w") as file:
        file.write("5")  # forgets the peak
    return found


if FORGES:
    bytearray(b"1") * 2**28  # a peak that is there before anything is measured
    accumulate_gradients = forge("accumulate_run", accumulate_gradients, claims)
