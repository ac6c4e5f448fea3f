"""Device: timing properly, measured MFU, batches that are there when they are needed.

An accelerator works behind the program's back. A call of a CUDA function returns when the work is
queued, not when it is done; so a clock that waits for nothing measures how fast Python can queue.
The same makes it possible to fetch the next batch while the device works on this one.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Sequence

import torch


def time_function(
    function: Callable[[], object],
    *,
    warmup: int = 2,
    repeats: int = 5,
    synchronize: Callable[[], object] | None = None,
    clock: Callable[[], float] = time.perf_counter,
) -> list[float]:
    """How long a function takes, its work on the device included, measured several times.

    After `warmup` calls that are not measured, each of `repeats` calls is measured by itself: wait
    for the device, read the clock, call, wait for the device, read the clock. What was queued
    before a call is so not measured with it, and what the call queues is.

    Args:
        function: what to time; called without arguments, `warmup + repeats` times in all.
        warmup: calls before the first measured one, 0 or more. First calls compile, choose
            algorithms and fill caches.
        repeats: calls to measure, at least 1.
        synchronize: returns when all work that was queued on the device is done. By default
            `torch.cuda.synchronize` where CUDA is available; a CPU has nothing to wait for.
        clock: a clock in seconds that never goes back.

    Returns:
        The seconds of each measured call, in order.

    Raises:
        ValueError: `warmup` is negative, or `repeats` less than 1. Nothing has been called then.
    """
    raise NotImplementedError(
        "time_function: not started; see assignment/writeup/device.md, "
        "or make hint EX=time_function"
    )


def measured_mfu(flops: float, seconds: Sequence[float], peak_flops: float) -> float:
    """Model FLOPs utilization, from several measurements of the same work.

    MFU is the FLOP/s reached over the FLOP/s promised. Of the measurements the median counts (of
    an even number, the mean of the middle two): one run that something else slowed down does not
    move it, as it would the mean.

    Args:
        flops: FLOPs that the work takes once, 0 or more.
        seconds: how long it took, each time it was measured; as `time_function` returns them.
        peak_flops: FLOP/s that the device promises for this dtype, without sparsity.

    Returns:
        MFU, a number that should lie between 0 and 1; above 1 the FLOPs, the time or the peak is
        wrong. 0.5 and more is good.

    Raises:
        ValueError: there is no measurement, one of them or `peak_flops` is not above 0, or `flops`
            is negative.

    An H100 in bf16 that needs 20, 10 and 17.8 ms for the lecture's matrix product:

        measured_mfu(8_796_093_022_208, [0.020, 0.010, 0.0178], 989.5e12)  # 0.4994
    """
    raise NotImplementedError(
        "measured_mfu: not started; see assignment/writeup/device.md, or make hint EX=measured_mfu"
    )


def prefetch(
    batches: Iterable[tuple[torch.Tensor, ...]], device: torch.device
) -> Iterator[tuple[torch.Tensor, ...]]:
    """The batches, moved to a device, each on its way before the one before it is handed out.

    Always exactly one batch ahead, never more: `batches` may be endless, and each batch ahead takes
    memory on the device. Nothing is taken before the first batch is asked for; then the first two
    are. Everything is done in the calling thread: a copy from pinned memory to a CUDA device is
    only queued, and the program goes on.

    Args:
        batches: batches of one or more tensors in host memory, gone through once.
        device: where to move them.

    Yields:
        Each batch as a tuple of its tensors on the device, in order.

    Raises:
        Whatever `batches` raises, after every batch that came before it was handed out.
    """
    raise NotImplementedError(
        "prefetch: not started; see assignment/writeup/device.md, or make hint EX=prefetch"
    )
