"""Tensors in files: a change in place reaches the file, and a new tensor does not.

Optimizers change tensors in place. Whether they did is seen in a file that is mapped into memory
and holds the tensors: it is read when the process that ran the optimizer is gone.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch

# Where a tensor lies in a file: its shape, its strides, the index of its first element, and whether
# it is in float32 in a file of float64; then it is counted in elements of float32.
Place = tuple[tuple[int, ...], tuple[int, ...], int, bool]


def mapped(path: str, start: torch.Tensor | None) -> torch.Tensor:
    """A vector whose storage is a file, with `start` as its content; None keeps what is there, in
    float64."""
    content = np.empty(0) if start is None else start.numpy()
    if start is not None:
        Path(path).write_bytes(content.tobytes())
    return torch.from_numpy(np.memmap(path, dtype=content.dtype, mode="r+"))


def tensor_at(memory: torch.Tensor, place: Place) -> torch.Tensor:
    """The tensor at a place of a file's content."""
    shape, strides, start, is_narrow = place
    return (memory.view(torch.float32) if is_narrow else memory).as_strided(shape, strides, start)


class TensorFile:
    """Tensors that lie in a file one after the other: of one dtype, or float32 among float64."""

    def __init__(self, path: Path, dtype: torch.dtype) -> None:
        self.path, self.dtype = str(path), dtype
        self._parts: list[torch.Tensor] = []
        self.end: torch.Tensor | None = None  # the content after the last call, once it is read
        self._size = 0  # elements

    def place(self, tensor: torch.Tensor, transposed: bool = False) -> Place:
        """Adds a tensor and returns its place; if `transposed`, a matrix is stored by columns."""
        stored = tensor.t() if transposed and tensor.dim() == 2 else tensor
        strides = torch.empty(stored.shape, device="meta").stride()
        part, offset, is_narrow = stored.reshape(-1), self._size, tensor.dtype is not self.dtype
        if is_narrow:
            part = torch.cat([part, part.new_zeros(part.numel() % 2)]).view(self.dtype)
            offset *= 2
        self._size += part.numel()
        self._parts.append(part)
        layout = strides if stored is tensor else strides[::-1]
        return tuple(tensor.shape), layout, offset, is_narrow

    @property
    def start(self) -> torch.Tensor:
        """The content before the first call."""
        return torch.cat(self._parts)

    def tensors(self, places: Sequence[Place]) -> list[torch.Tensor]:
        """The tensors after the last call; `.before` of each is the tensor before the first.

        `.file` of each is the path, by which a message finds the call that left it.
        """
        assert self.end is not None
        found = [tensor_at(self.end, place) for place in places]
        start = self.start if places else self.end
        for tensor, place in zip(found, places, strict=True):
            tensor.before = tensor_at(start, place)  # type: ignore[attr-defined]
            tensor.file = self.path  # type: ignore[attr-defined]
        return found
