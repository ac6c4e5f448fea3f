"""Counts what torch does, for numbers of the text that rest on a claim about it."""

from collections.abc import Callable
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves


class _Traffic(TorchDispatchMode):
    """Counts inputs and outputs of a given shape, over all operations."""

    def __init__(self, shape: torch.Size) -> None:
        super().__init__()
        self.shape, self.tensors = shape, 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        for leaf in tree_leaves((args, result)):
            self.tensors += isinstance(leaf, torch.Tensor) and leaf.shape == self.shape
        return result


def crossings(function: Callable[[torch.Tensor], torch.Tensor]) -> int:
    """How often each element is read from or written to memory, an operation at a time."""
    x = torch.empty(3, 5, device="meta")
    with _Traffic(x.shape) as traffic:
        function(x)
    return traffic.tensors


def softmax(x: torch.Tensor) -> torch.Tensor:
    y = x - x.amax(-1, keepdim=True)
    y = y.exp()
    return y / y.sum(-1, keepdim=True)


def gelu(x: torch.Tensor) -> torch.Tensor:
    return 0.5 * x * (1 + torch.tanh(0.79788456 * (x + 0.044715 * x * x * x)))
