"""Prefetching: the batches that a student's `prefetch` hands out, as plain data."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from assignment.calls.world import LeftChanged
from assignment.scenarios import scenario


@scenario
def prefetched(
    student: Any, batches: Iterable[tuple[torch.Tensor, ...]], device: str
) -> Iterator[tuple[torch.Tensor, ...]]:
    """The batches from `prefetch` on a device of this name; call it by `impl.iterate`.

    Raises:
        LeftChanged: a batch is taken in another thread than the one that asks for batches.
    """
    here, elsewhere = threading.get_ident(), []

    def source() -> Iterator[tuple[torch.Tensor, ...]]:
        for batch in batches:
            if threading.get_ident() != here:
                elsewhere.append(batch)
            yield batch

    def taken_in_one_thread() -> Iterator[tuple[torch.Tensor, ...]]:
        for batch in batches_on_device:
            if elsewhere:
                raise LeftChanged(
                    "prefetch takes batches in another thread; a copy to the device is only queued"
                )
            yield batch

    batches_on_device = student.device.prefetch(source(), torch.device(device))
    return taken_in_one_thread()


class _Stuck(torch.Tensor):
    """A tensor that cannot be moved, nor used for anything else."""

    @classmethod
    def __torch_function__(cls, *arguments: Any, **settings: Any) -> Any:
        raise RuntimeError("this tensor cannot be moved")


@scenario
def prefetched_until_stuck(
    student: Any, batches: Iterable[tuple[torch.Tensor, ...]], index: int
) -> Any:
    """Prefetches a list of all batches, on the CPU; the tensors of batch `index` cannot move."""
    given = [
        tuple(t.as_subclass(_Stuck) for t in batch) if i == index else batch
        for i, batch in enumerate(batches)
    ]
    return student.device.prefetch(given, torch.device("cpu"))


@scenario
def moves_of_prefetched(
    student: Any, batches: Iterable[tuple[torch.Tensor, ...]]
) -> Iterator[dict[str, Any]]:
    """As `prefetched`, on the device "meta", whose tensors hold no data to send.

    Yields for each batch the "devices" of its tensors, and the sizes, in elements, of all tensors
    that had been "moved" to the device by the time the batch was handed out.
    """
    moves = _Moves()
    handed_out = iter(student.device.prefetch(batches, torch.device("meta")))
    while True:
        with moves:
            batch = next(handed_out, None)
        if batch is None:
            return
        yield {"devices": [tensor.device.type for tensor in batch], "moved": list(moves.sizes)}


class _Moves(TorchFunctionMode):
    """Notes the sizes of the tensors that are created on the device "meta"."""

    def __init__(self) -> None:
        super().__init__()
        self.sizes: list[int] = []

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        if isinstance(result, torch.Tensor) and result.device.type == "meta":
            self.sizes.append(result.numel())
        return result
