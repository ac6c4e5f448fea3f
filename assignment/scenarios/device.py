"""Drives timing and prefetching on a simulated device, so that no accelerator is needed."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from assignment.scenarios import scenario


class SimulatedDevice:
    """A device that works asynchronously, with a simulated clock.

    `queued` seconds of work are in the queue at the start. Call i of `function` takes launches[i]
    seconds, during which the device continues with its queue, and then adds works[i] seconds of
    work. `synchronize` waits until the queue is empty.
    """

    def __init__(self, launches: Sequence[float], works: Sequence[float], queued: float) -> None:
        self.costs = list(zip(launches, works, strict=True))
        self.queued = queued
        self.now = 0.0
        self.calls = 0

    def function(self) -> None:
        launch, work = self.costs[self.calls % len(self.costs)]
        self.calls += 1
        self.now += launch
        self.queued = max(0.0, self.queued - launch) + work

    def synchronize(self) -> None:
        self.now += self.queued
        self.queued = 0.0

    def clock(self) -> float:
        return self.now


@scenario
def timed(
    student: Any,
    launches: Sequence[float],
    works: Sequence[float],
    *,
    queued: float = 0.0,
    **settings: Any,
) -> dict[str, Any]:
    """Times a function on a simulated device by `time_function`; `settings` are passed on.

    Returns:
        "seconds" that it returned, or None if it raised a ValueError, and the number of "calls".
    """
    device = SimulatedDevice(launches, works, queued)
    try:
        seconds = student.device.time_function(
            device.function, synchronize=device.synchronize, clock=device.clock, **settings
        )
    except ValueError:
        return {"seconds": None, "calls": device.calls}
    return {"seconds": list(seconds), "calls": device.calls}


@scenario
def timed_for_real(student: Any, pause: float, **settings: Any) -> dict[str, Any]:
    """Times a function that sleeps, with the default clock and the default synchronization.

    Returns:
        "seconds" that `time_function` returned, the number of "calls" and "total", the seconds that
        it took altogether.
    """
    calls = 0

    def sleep() -> None:
        nonlocal calls
        calls += 1
        time.sleep(pause)

    start = time.perf_counter()
    seconds = student.device.time_function(sleep, **settings)
    total = time.perf_counter() - start
    return {"seconds": list(seconds), "calls": calls, "total": total}


@scenario
def prefetched(
    student: Any,
    batches: Sequence[Sequence[torch.Tensor]],
    device: str,
    *,
    ask: int,
    as_list: bool = False,
    total: int | None = None,
    fails_at: int | None = None,
) -> dict[str, Any]:
    """Requests the first `ask` batches of `prefetch`.

    Args:
        batches: the batches of the source.
        device: "cpu", or "meta", whose tensors hold no data: there, moves can be observed.
        ask: number of batches to request.
        as_list: pass a list, not a generator; then there are no "took" events.
        total: number of batches of the source; after the last of `batches` they repeat.
        fails_at: instead of this batch the source raises a LookupError.

    Returns:
        "batches": those handed out; a tensor on the CPU as it is, others as shape and dtype.
        "devices": the device of each tensor handed out. "ended": the exception raised instead of a
        batch, for example "StopIteration", or None. "events", in order: ["made", 0] when `prefetch`
        returned, ["took", i] when batch i was taken from the source, ["moved", size] when a tensor
        of `size` elements was created on the device "meta", ["gave", i] when batch i was handed
        out.
    """
    events: list[list[Any]] = []

    def source() -> Iterator[tuple[torch.Tensor, ...]]:
        for i in range(len(batches) if total is None else total):
            if i == fails_at:
                raise LookupError("the source has failed")
            events.append(["took", i])
            yield tuple(batches[i % len(batches)])

    given: list[list[Any]] = []
    devices: list[str] = []
    ended = None
    with _Moves(events):
        iterable = [tuple(batch) for batch in batches] if as_list else source()
        iterator = iter(student.device.prefetch(iterable, torch.device(device)))
        events.append(["made", 0])
        for i in range(ask):
            try:
                batch = next(iterator)
            except Exception as raised:
                ended = type(raised).__name__
                break
            events.append(["gave", i])
            devices += [tensor.device.type for tensor in batch]
            given.append([_described(tensor) for tensor in batch])
    return {"batches": given, "devices": devices, "ended": ended, "events": events}


class _Moves(TorchFunctionMode):
    """Records each tensor that is created on the device "meta"."""

    def __init__(self, events: list[list[Any]]) -> None:
        super().__init__()
        self.events = events

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        if isinstance(result, torch.Tensor) and result.device.type == "meta":
            self.events.append(["moved", result.numel()])
        return result


def _described(tensor: torch.Tensor) -> Any:
    return tensor if tensor.device.type == "cpu" else (tuple(tensor.shape), tensor.dtype)
