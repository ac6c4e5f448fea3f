"""Device: correct timing, measured MFU, and batches that arrive before they are needed."""

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
    """Measures several times how long a function takes, including its work on the device.

    After `warmup` calls that are not measured, each of `repeats` calls is measured by itself: wait
    for the device, read the clock, call, wait for the device, read the clock. So work queued
    before a call is not measured with it, and work that the call queues is. One reading may end a
    call and start the next.

    Args:
        function: the function to time; called without arguments, `warmup + repeats` times in total.
        warmup: calls before the first measured one, 0 or more.
        repeats: calls to measure, at least 1.
        synchronize: waits until all work queued on the device is done; may be called more often. By
            default `torch.cuda.synchronize` where CUDA is available; on a CPU there is nothing to
            wait for.
        clock: returns the time in seconds; must never go back.

    Returns:
        The seconds of each measured call, in order.

    Raises:
        Exception: any that `function` raises.
    """
    raise NotImplementedError(
        "time_function: not started; see assignment/writeup/device.md, "
        "or make hint EX=time_function"
    )


def measured_mfu(flops: float, seconds: Sequence[float], peak_flops: float) -> float:
    """Model FLOPs utilization, from several measurements of the same work.

    MFU is the FLOP/s reached divided by the FLOP/s promised. It uses the median of the measurements
    (for an even number, the mean of the middle two).

    Args:
        flops: FLOPs of one run of the work, 0 or more.
        seconds: the time of each measured run, as `time_function` returns them: at least one, each
            more than 0; some may be inf.
        peak_flops: FLOP/s that the device promises for this dtype, without sparsity; more than 0.

    Returns:
        MFU. 0.5 and more is good. Above 1 the FLOPs, the time or the peak is wrong, and MFU is
        returned all the same.

    An H100 in bf16 that needs 20, 10 and 17.8 ms for the lecture's matrix product:

        measured_mfu(8_796_093_022_208, [0.020, 0.010, 0.0178], 989.5e12)  # 0.4994
    """
    raise NotImplementedError(
        "measured_mfu: not started; see assignment/writeup/device.md, or make hint EX=measured_mfu"
    )


def prefetch(
    batches: Iterable[tuple[torch.Tensor, ...]], device: torch.device
) -> Iterator[tuple[torch.Tensor, ...]]:
    """The batches, moved to a device; each move starts before the previous batch is handed out.

    Always exactly one batch ahead, never more: `batches` may be endless, and each batch ahead takes
    memory on the device. Nothing is taken before the first batch is requested; then the first two
    are taken. Everything happens in the calling thread.

    Args:
        batches: batches of one or more tensors in host memory; iterated over once. You need not
            close it.

    Yields:
        Each batch as a tuple of its tensors on the device, in order.

    Raises:
        Exception: any that `batches` or moving a batch raises, after all batches before it were
            handed out. (Others, such as KeyboardInterrupt, may come at once.)
    """
    raise NotImplementedError(
        "prefetch: not started; see assignment/writeup/device.md, or make hint EX=prefetch"
    )
