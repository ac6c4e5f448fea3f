"""`make bench`: how fast your programs are compared with naive versions, and why.

Times are measured in this process, with CUDA events or the CPU's clock, for your information only.
Marks come from another clock.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch
from rich.console import Console
from rich.table import Table

from assignment import hardware, programs
from assignment.calls.implementation import Package
from assignment.material.small_transformer import cross_entropy
from assignment.programs import Program, naive

REPEATS = 5
_MATRIX_N, _COPY_BYTES = {"cpu": 1024, "cuda": 8192}, {"cpu": 2**26, "cuda": 2**30}  # for roofs


@dataclass(frozen=True)
class Roofs:
    """The limits of a device: FLOP/s and B/s, and where the numbers come from."""

    flops: float
    bandwidth: float
    source: str


@dataclass(frozen=True)
class Result:
    """The times of a program and its baseline; None if one of its functions is not written yet.

    `flops` and `bytes` are the least that any implementation needs.
    """

    name: str
    seconds: float | None
    baseline: float | None
    flops: float
    bytes: float


def run(package: str, names: Sequence[str], console: Console, picture: Path) -> None:
    """Times programs on the CUDA device if there is one, else on the CPU, and prints a table.

    With matplotlib, `picture` becomes an SVG file with their positions under the roofline.
    """
    has_cuda = torch.cuda.is_available()
    device = torch.device("cuda" if has_cuda else "cpu")
    memory = torch.cuda.get_device_properties(device).total_memory if has_cuda else 0
    student = Package(package)
    roofs = _roofs(device)
    results = []
    for name in names:
        console.print(f"[dim]{name} …[/dim]")
        results.append(_timed_program(student, name, device, memory))
    console.print(_table(results, roofs))
    console.print(
        f"Roofs: {si(roofs.flops)}FLOP/s and {si(roofs.bandwidth)}B/s, {roofs.source}.\n"
        "The baseline is a naive version. Full marks are for the reference's time."
    )
    to_draw = [r for r in results if r.seconds is not None and r.flops and r.bytes]
    if to_draw and draw(to_draw, roofs, picture):
        console.print(f"Their positions under the roofline: {picture}")


def baseline(student: Any) -> Any:
    """A package of naive versions, but with the student's earlier optimizer and training loop."""

    def training_step(model: Any, optimizer: Any, tokens: torch.Tensor) -> None:
        batches = [(tokens[:, :-1], tokens[:, 1:])]
        student.training.train(model, optimizer, batches, cross_entropy)

    def adamw_update(
        params: Sequence[torch.Tensor], *lists: Sequence[torch.Tensor], **settings: Any
    ) -> None:
        for tensors in zip(params, *lists, strict=True):
            student.optimizers.adamw_step(*([tensor] for tensor in tensors), **settings)

    return SimpleNamespace(
        performance=SimpleNamespace(
            matmul_chain=naive.matmul_chain,
            causal_attention=naive.causal_attention,
            training_step=training_step,
            adamw_update=adamw_update,
        ),
        device=SimpleNamespace(prefetch=naive.prefetch),
    )


def _timed_program(student: Any, name: str, device: torch.device, memory: int) -> Result:
    kind = programs.find(name)
    sizes = kind.sizes_on(device.type, memory)
    program, work = kind(device, sizes, seed=0), kind.work(sizes)
    seconds, naive_seconds = _seconds(program, student), _seconds(program, baseline(student))
    return Result(name, seconds, naive_seconds, work.flops, work.moved)


def _seconds(program: Program, package: Any) -> float | None:
    """The time of a run with a package's functions; None if one of them is a stub."""
    try:
        return timed(lambda: program.run(package, 1), program.device)
    except NotImplementedError:
        return None


def timed(
    function: Callable[[], object],
    device: torch.device,
    warm_ups: int = 2,
    repeats: int = REPEATS,
    statistic: Callable[[list[float]], float] = statistics.median,
) -> float:
    """The median time of several calls in seconds, after some that are not measured.

    With `min` as the statistic it bounds what the device can do.
    """
    times: list[float] = []
    for i in range(warm_ups + repeats):
        if device.type == "cuda":
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))  # type: ignore[no-untyped-call]
            start.record()
            function()
            end.record()
            end.synchronize()
            took = start.elapsed_time(end) / 1e3
        else:
            begun = time.perf_counter()
            function()
            took = time.perf_counter() - begun
        if i >= warm_ups:
            times.append(took)
    return statistic(times)


def _roofs(device: torch.device) -> Roofs:
    """The datasheet's numbers if the table has the device, else measured ones."""
    if device.type == "cuda":
        table, name = hardware.load(), torch.cuda.get_device_name(device)
        try:
            entry = table.reported(name)
            return Roofs(entry.peak("bf16"), entry.bandwidth, f"the datasheet's of {name}")
        except hardware.HardwareError:
            pass
    return measured_roofs(device)


def measured_roofs(device: torch.device) -> Roofs:
    """What one large product and one large copy reach on a device."""
    n = _MATRIX_N[device.type]
    x = torch.randn(n, n, device=device)
    x = x.bfloat16() if device.type == "cuda" else x
    data = torch.zeros(_COPY_BYTES[device.type], dtype=torch.uint8, device=device)
    return Roofs(
        2 * n**3 / timed(lambda: x @ x, device, statistic=min),
        2 * data.numel() / timed(data.clone, device, statistic=min),
        "measured here",
    )


def _table(results: Sequence[Result], roofs: Roofs) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("program", no_wrap=True)
    for column in ("yours", "baseline", "faster", "FLOP/s", "of peak", "B/s", "of peak"):
        table.add_column(column, justify="right")
    for result in results:
        if result.seconds is None:
            table.add_row(result.name, "not started", style="dim")
            continue
        flops, moved = result.flops / result.seconds, result.bytes / result.seconds
        table.add_row(
            result.name,
            f"{1e3 * result.seconds:.2f} ms",
            f"{1e3 * result.baseline:.2f} ms" if result.baseline else "not started",
            f"{result.baseline / result.seconds:.2f} ×" if result.baseline else "–",
            si(flops),
            f"{flops / roofs.flops:.1%}",
            si(moved),
            f"{moved / roofs.bandwidth:.1%}",
        )
    return table


def si(number: float) -> str:
    """A number with its SI prefix, for a unit to follow: `1.23 T` for 1.23e12."""
    for prefix, power in (("P", 15), ("T", 12), ("G", 9), ("M", 6), ("k", 3)):
        if number >= 10**power:
            return f"{number / 10**power:.3g} {prefix}"
    return f"{number:.3g} "


def draw(results: Sequence[Result], roofs: Roofs, picture: Path) -> bool:
    """Writes the roofline with the programs as SVG; False if matplotlib is not installed."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return False
    places = {r.name: (r.flops / r.bytes, r.flops / r.seconds) for r in results if r.seconds}
    ridge = roofs.flops / roofs.bandwidth
    low = min(ridge, *(x for x, _ in places.values())) / 4
    high = max(ridge, *(x for x, _ in places.values())) * 4
    figure = Figure(figsize=(7, 4.2), layout="constrained")
    axes = figure.subplots()
    axes.loglog(
        [low, ridge, high], [low * roofs.bandwidth, roofs.flops, roofs.flops], color="black", lw=1.5
    )
    for name, (intensity, speed) in places.items():
        axes.plot(intensity, speed, "o")
        axes.annotate(name, (intensity, speed), xytext=(6, -4), textcoords="offset points")
    axes.set(xlabel="arithmetic intensity, FLOP/B", ylabel="FLOP/s", title=f"Roofs {roofs.source}")
    axes.grid(alpha=0.3)
    figure.savefig(picture)
    return True
