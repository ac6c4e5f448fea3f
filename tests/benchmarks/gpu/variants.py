"""How different ways to write a program behave, without any lockdown: what a race will meet."""

from __future__ import annotations

import importlib
import importlib.util
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
NAMES = {
    "matmul_chain": ("reference", "naive", "naive in TF32", "fp16", "compiled"),
    "training": ("reference", "naive", "naive in TF32", "compiled"),
    "adamw": ("reference", "naive", "foreach"),
    "batches": ("reference", "naive", "no stream of its own"),
}
_RUNS = 5
_LARGEST = 2.0**34  # bytes that a CPU is taken to have


def measured(program: str, variant: str, kind: str) -> dict[str, Any]:
    """Seconds of some runs, their spread, the error against the exact result, and the work."""
    import torch

    from assignment import programs

    if variant == "compiled" and kind == "cpu":
        return {"variant": variant, "skipped": "a compiler would take the time of all the rest"}
    torch.set_num_threads(1)  # as in a race: several would wait for each other on a busy machine
    where = torch.device(kind)
    cuda = kind == "cuda"
    memory = torch.cuda.get_device_properties(0).total_memory if cuda else int(_LARGEST)
    made_of = programs.find(program)
    sizes = made_of.sizes_on(kind, memory)
    student = _student(variant)
    torch.backends.cuda.matmul.allow_tf32 = variant.endswith("TF32")

    def timed(call: Callable[[], Any]) -> tuple[float, Any]:
        begun = time.perf_counter()
        found = call()
        if cuda:
            torch.cuda.synchronize()
        return time.perf_counter() - begun, found

    make_seconds, made = timed(lambda: made_of(where, sizes, 7))
    warm_seconds = sum(timed(lambda i=i: made.run(student, -1 - i))[0] for i in range(2))
    seconds, state = [], []
    for start in range(_RUNS):
        took, state = timed(lambda start=start: made.run(student, start))
        seconds.append(took)
    copy_seconds, host = timed(lambda: programs.sketches(state, _RUNS - 1))
    # As in a race: by the naive program, which keeps the dtype of its inputs.
    torch.backends.cuda.matmul.allow_tf32 = False
    exact = made_of(where, sizes, 7, made_of.exact_dtype(kind))
    truth = programs.sketches(exact.run(_student("naive"), _RUNS - 1), _RUNS - 1)
    work = made_of.work(sizes)
    median = statistics.median(seconds)
    return {
        "variant": variant,
        "seconds": median,
        "spread": max(seconds) / min(seconds) - 1,
        "make": make_seconds,
        "warm up": warm_seconds,
        "copy": copy_seconds,
        "error": max(programs.errors(host, truth)),
        "FLOPs": work.flops,
        "bytes": work.moved,
        "bytes from the host": work.from_host,
        "peak GiB": torch.cuda.max_memory_allocated() / 2**30 if cuda else 0.0,
        "sizes": sizes,
    }


def _student(variant: str) -> Any:
    """The modules that a program calls, in a variant."""
    reference = {
        name: importlib.import_module(f"solutions.resource_accounting.{name}")
        for name in ("performance", "device")
    }
    naive = {name: _naive(name) for name in ("performance", "device")}
    if variant == "reference":
        return SimpleNamespace(**reference)
    if variant.startswith("naive"):
        return SimpleNamespace(**naive)
    changed = {
        "fp16": _fp16,
        "compiled": _compiled,
        "foreach": _foreach,
        "no stream of its own": _one_stream,
    }[variant]()
    own = SimpleNamespace(**{**vars(reference["performance"]), **changed})
    return SimpleNamespace(performance=own, device=SimpleNamespace(**changed))


def _naive(name: str) -> ModuleType:
    path = ROOT / "solutions" / "naive" / "resource_accounting" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"naive_{name}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _fp16() -> dict[str, Any]:
    from torch.nn import functional

    def matmul_chain(x: Any, weights: Any) -> Any:
        half = {id(weight): weight.half() for weight in weights}
        y = x.half()
        for weight in weights:
            y = functional.leaky_relu_(y @ half[id(weight)], 0.8)
            y = functional.rms_norm(y, y.shape[-1:], eps=0.0)
        return y.to(x.dtype)

    return {"matmul_chain": matmul_chain}


def _compiled() -> dict[str, Any]:
    import torch
    from torch.nn import functional

    def step(y: Any, weight: Any) -> Any:
        return functional.rms_norm(functional.leaky_relu(y @ weight, 0.8), y.shape[-1:], eps=0.0)

    fast, models = torch.compile(step), {}

    def matmul_chain(x: Any, weights: Any) -> Any:
        half = {id(weight): weight.bfloat16() for weight in weights}
        y = x.bfloat16()
        for weight in weights:
            y = fast(y, half[id(weight)])
        return y.to(x.dtype)

    def training_step(model: Any, optimizer: Any, tokens: Any) -> None:
        optimizer.zero_grad(set_to_none=True)
        run = models.setdefault(id(model), torch.compile(model))
        with torch.autocast(tokens.device.type, dtype=torch.bfloat16):
            logits = run(tokens[:, :-1])
            loss = functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()

    return {"matmul_chain": matmul_chain, "training_step": training_step}


def _foreach() -> dict[str, Any]:
    import torch

    def adamw_update(
        params: Any,
        grads: Any,
        exp_avgs: Any,
        exp_avg_sqs: Any,
        *,
        step: int,
        lr: float,
        betas: tuple[float, float],
        eps: float,
        weight_decay: float,
    ) -> None:
        first, second = betas
        torch._foreach_mul_(params, 1 - lr * weight_decay)
        torch._foreach_lerp_(exp_avgs, grads, 1 - first)
        torch._foreach_mul_(exp_avg_sqs, second)
        torch._foreach_addcmul_(exp_avg_sqs, grads, grads, 1 - second)
        denominators = torch._foreach_sqrt(exp_avg_sqs)
        torch._foreach_div_(denominators, (1 - second**step) ** 0.5)
        torch._foreach_add_(denominators, eps)
        torch._foreach_addcdiv_(params, exp_avgs, denominators, -lr / (1 - first**step))

    return {"adamw_update": adamw_update}


def _one_stream() -> dict[str, Any]:
    def prefetch(batches: Any, device: Any) -> Any:
        moved = (tuple(t.to(device, non_blocking=True) for t in batch) for batch in batches)
        current = next(moved, None)
        while current is not None:
            following = next(moved, None)
            yield current
            current = following

    return {"prefetch": prefetch}
