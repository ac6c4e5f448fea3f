"""Counts what torch does, for numbers of the text that rest on a claim about it."""

from collections.abc import Callable
from typing import Any

import torch
from torch.autograd.graph import saved_tensors_hooks
from torch.nn import functional
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


def kept_by_a_block(b: int, s: int, h: int, a: int, *, dropout: bool, flash: bool) -> int:
    """Bytes that torch keeps for the backward pass of a block like GPT-2's, in bf16.

    Without weights, and without the mean and variance of the norms.
    """
    x = torch.zeros(b, s, h, dtype=torch.bfloat16, requires_grad=True)
    shapes = [(h, h)] * 4 + [(h, 4 * h), (4 * h, h)]
    weights = [torch.zeros(size, dtype=torch.bfloat16, requires_grad=True) for size in shapes]
    known = {weight.untyped_storage().data_ptr() for weight in weights}
    kept: dict[int, torch.UntypedStorage] = {}
    small = 0

    def keep(tensor: torch.Tensor) -> torch.Tensor:
        nonlocal small
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in known and storage.data_ptr() not in kept:
            kept[storage.data_ptr()] = storage
            small += storage.nbytes() if tensor.shape == (b, s, 1) else 0
        return tensor

    def drop(y: torch.Tensor) -> torch.Tensor:
        return torch.native_dropout(y, 0.1, True)[0] if dropout else y

    def heads(y: torch.Tensor) -> torch.Tensor:
        return y.view(b, s, a, h // a).transpose(1, 2)

    with saved_tensors_hooks(keep, lambda tensor: tensor):
        y = functional.layer_norm(x, (h,))
        q, k, v = (heads(y @ weight) for weight in weights[:3])
        if flash:
            mixed = functional.scaled_dot_product_attention(q, k, v)
        else:
            scores = (q * (h // a) ** -0.5) @ k.transpose(-2, -1)
            mixed = drop(scores.softmax(-1)) @ v
        z = x + drop(mixed.transpose(1, 2).reshape(b, s, h) @ weights[3])
        y = functional.gelu(functional.layer_norm(z, (h,)) @ weights[4])
        _ = z + drop(y @ weights[5])
    return sum(storage.nbytes() for storage in kept.values()) - small
