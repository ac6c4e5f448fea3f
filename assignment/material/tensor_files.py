"""Tensors in files: a change in place reaches the file, and a new tensor does not.

Optimizers change tensors in place. Whether they did is seen in a file that is mapped into memory
and holds the tensors: it is read when the process that ran the optimizer is gone.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from assignment.calls.implementation import Implementation

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
        """The tensors in the file after the last call; each has its start as `.before`."""
        assert self.end is not None
        found = [tensor_at(self.end, place) for place in places]
        start = self.start if places else self.end
        for tensor, place in zip(found, places, strict=True):
            tensor.before = tensor_at(start, place)  # type: ignore[attr-defined]
        return found


class Left:
    """What a run left: lists of tensors by name, read from its file when one is asked for."""

    def __init__(self, runs: OptimizerRuns, file: TensorFile, **places: Any) -> None:
        self._runs, self.file, self.places = runs, file, places
        self.state_dict: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if self.file.end is None:
            self._runs.read()
        places = self.places[name]
        if places and isinstance(places[0], list):
            return [self.file.tensors(some) for some in places]
        return self.file.tensors(places)


class OptimizerRuns:
    """Runs optimizers of an implementation on tensors in files.

    The first question for a result reads the files of all runs until then. In the grader this ends
    the process that ran them, so ask when all runs have been made.
    """

    def __init__(self, impl: Implementation) -> None:
        self._impl = impl
        self._files: list[TensorFile] = []

    def new_file(self, params: Sequence[torch.Tensor]) -> TensorFile:
        """A file for tensors of these parameters' dtypes."""
        wide = any(p.dtype is torch.float64 for p in params) or not params
        dtype = torch.float64 if wide else params[0].dtype
        file = TensorFile(self._impl.scratch / f"tensors-{len(self._files)}", dtype)
        self._files.append(file)
        return file

    def steps(
        self,
        function: str,
        params: Sequence[torch.Tensor],
        grads: Sequence[torch.Tensor],
        states: Sequence[Sequence[torch.Tensor]],
        *,
        transposed: bool = False,
        **settings: Any,
    ) -> Left:
        """Runs the scenario `optimizer_steps`, which `settings` are for, from these parameters.

        Gradients are a tensor for each parameter, whose first dimension is the steps. With
        `transposed`, matrices are stored column by column, so that they are not contiguous; those
        of the gradients in every second step. Returns "params", "states" and "grads" after the
        last step.
        """
        file = self.new_file(params)
        places = [file.place(p, transposed) for p in params]
        kept = [[file.place(t, transposed) for t in tensors] for tensors in states]
        steps = [
            [file.place(g[i], transposed and i % 2 == 0) for g in grads]
            for i in range(len(grads[0]))
        ]
        left = Left(self, file, params=places, states=kept, grads=steps)
        self._impl.call(
            "scenarios.optimizer_steps",
            function, file.path, file.start, places, steps, kept, **settings,
        )  # fmt: skip
        return left

    def adamw(
        self,
        params: Sequence[torch.Tensor],
        grads: Sequence[torch.Tensor],
        onward_from: Left | None = None,
        **settings: Any,
    ) -> Left:
        """Runs the scenario `adamw_optimizer`; `state_dict` is the state that it returns.

        Parameters, gradients and settings are as in `steps`. `onward_from` is an earlier run to
        continue and return; `params` is then not used.
        """
        if onward_from is None:
            file = self.new_file(params)
            left = Left(self, file, params=[file.place(p) for p in params])
            start = file.start
        else:
            left, start = onward_from, None
        left.state_dict = self._impl.call(
            "scenarios.adamw_optimizer",
            left.file.path, start, left.places["params"], grads, **settings,
        )  # fmt: skip
        return left

    def read(self) -> None:
        """Reads the files of all runs that have not been read."""
        files = [file for file in self._files if file.end is None]
        contents = self._impl.call("readers.files_bytes", [file.path for file in files])
        for file, content in zip(files, contents, strict=True):
            file.end = torch.frombuffer(bytearray(content), dtype=file.dtype)
