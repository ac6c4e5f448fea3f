"""Makes the first calls of what workers use, in the zygote: forks then find modules loaded."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import einops
import numpy as np
import torch
from jaxtyping import Float, Int
from torch.utils.checkpoint import checkpoint

from assignment.calls.implementation import seed_everything
from grader.wire import arguments, frames
from grader.worker import calls, channel

# Of each call. The interpreter rewrites code that has run some eight times, and caches what names
# stand for: done here, a worker copies 10 % fewer pages of memory.
_REHEARSALS = 10


def make_first_calls() -> None:
    """Runs a forward pass, rearranges, and answers requests to this module's own functions."""
    _model()(torch.zeros(4, 8))
    einops.rearrange(torch.zeros(2, 3), "a b -> b a")
    torch.stack([torch.from_numpy(np.arange(8, dtype=np.uint16).astype(np.int64))])
    package = calls.CheckedPackage("first", "/")
    vars(package)["first"] = calls.CheckedModule(sys.modules[__name__])
    null = os.open("/dev/null", os.O_WRONLY)
    for _ in range(_REHEARSALS):
        for target, *args in (
            ("first._nothing", None, [1.0, 2], {"a": 1, "b": ("c", True)}, np.arange(4)),
            ("first._sum_of_squares", torch.ones(2), [1], ("1",)),
            ("first._sum_of_squares", torch.ones(2, 2), [1], ("1",)),  # another shape
            ("first._refuses", 1),
        ):
            _, *parts = arguments.encode(0, {"call": target, "args": tuple(args)})
            content = b"".join(map(bytes, parts))
            body = frames.new_body(len(content))
            body[:] = content
            request = arguments.decode(body)
            channel.send(null, 0, calls.call(package, request["call"], request["args"], {}))
    os.close(null)


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
    a: Callable[..., Any] | None,
    b: Iterable[float],
    c: Mapping[str, Any],
    d: Int[np.ndarray, " n"] | None,
) -> list[float]:
    return []


def _refuses(size: int) -> None:
    raise ValueError(f"expected no size, got {size}")
