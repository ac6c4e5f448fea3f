"""Makes the first calls of what workers use, in the zygote: forks then find modules loaded."""

from __future__ import annotations

import contextlib
import inspect
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import einops
import numpy as np
import torch
from jaxtyping import Float, Int
from torch.utils.checkpoint import checkpoint

from assignment.implementation import seed_everything
from grader import wire
from grader.worker.calls import with_shape_checks


def make_first_calls() -> None:
    """Checks shapes, runs a forward pass, rearranges, decodes a frame."""
    for function in (_sum_of_squares, _nothing):
        with_shape_checks(function)
    function = with_shape_checks(_sum_of_squares)
    inspect.signature(function).bind(torch.ones(2), [1], ("1",))
    function(torch.ones(2), [1], ("1",))
    with contextlib.suppress(Exception):
        function(torch.ones(2, 2), [1], ("1",))
    _model()(torch.zeros(4, 8))
    einops.rearrange(torch.zeros(2, 3), "a b -> b a")
    wire.decode(memoryview(bytearray(b"".join(map(bytes, wire.encode(0, [1.0])[1:])))))
    torch.stack([torch.from_numpy(np.arange(8, dtype=np.uint16).astype(np.int64))])


def make_first_training_steps() -> None:
    """Seeds, trains in mixed precision, saves and loads.

    Each of these asks CUDA for its devices, and a fork of a process that asked could not train:
    call this only where devices are hidden.
    """
    seed_everything(0)
    model = _model()
    optimizer = torch.optim.AdamW(model.parameters())
    for dtype in (torch.bfloat16, torch.float16):
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=dtype):
            y = checkpoint(model, torch.randn(4, 8), use_reentrant=False)
            loss = torch.nn.functional.mse_loss(y, torch.zeros(4, 8))
        torch.autograd.backward(loss)
        optimizer.step()
    file = io.BytesIO()
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, file)
    file.seek(0)
    torch.load(file, weights_only=True)


def _model() -> torch.nn.Module:
    return torch.nn.Sequential(
        torch.nn.Linear(8, 8), torch.nn.GELU(), torch.nn.Dropout(), torch.nn.Linear(8, 8)
    )


# Annotated as functions of the assignment are.


def _sum_of_squares(
    x: Float[torch.Tensor, " n"], sizes: Sequence[int], names: tuple[str, ...]
) -> float | None:
    return float(x.square().sum())


def _nothing(
    a: Callable[..., Any], b: Iterable[float], c: Mapping[str, int], d: Int[np.ndarray, " n"] | None
) -> list[float]:
    return []
