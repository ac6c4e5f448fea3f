"""One rung of `doctor --cuda`: puts layers of the lockdown on this process, then uses the device.

    python -m grader.doctor.rung '{"layers": ["landlock"], "allowed": [], "device": "cuda"}'

prints a line of JSON for each step as it ends, and stops at the first that fails. A process is
needed for each rung, since neither a lockdown nor CUDA can be taken off again.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from grader import preload
from grader.sandbox import cuda, kernel, landlock, lockdown, seccomp, syscalls

LAYERS = ("rlimits", "memory", "user", "landlock", "seccomp")
# What CUDA workers may do beside all others, by layer.
EXCEPTIONS = {
    "landlock": ("device nodes", "thread names", "/sys", "/proc", "libraries"),
    "seccomp": ("requests", "sockets", "memory files"),
}
_CALLS = {"sockets": ("bind", "listen", "setsockopt", "socket"), "memory files": ("memfd_create",)}
_MEMORY_MIB = 16384
_USER = 170_000  # no user of this machine


def lock_down(layers: Sequence[str], allowed: Sequence[str]) -> None:
    """Drops all capabilities, and puts layers on this process, with these of their exceptions."""
    if "rlimits" in layers:
        lockdown.limit_resources(with_cuda=True)
    if "user" in layers:
        kernel.drop_bounding_set()
        lockdown.drop_privileges(_USER, _USER)
    kernel.set_capabilities(0)
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    if "landlock" in layers:
        readable = [
            *lockdown.LIBRARIES,
            *lockdown.interpreter_folders(),
            *lockdown.DEVICES,
            "/proc/self",
        ]
        readable += cuda.kernel_folders() if "/sys" in allowed else []
        readable += cuda.kernel_files() if "/proc" in allowed else []
        readable += cuda.libraries() if "libraries" in allowed else []
        landlock.restrict(
            [path for path in readable if os.access(path, os.R_OK)],
            ["/dev/null", *(cuda.WRITABLE if "thread names" in allowed else ())],
            cuda.device_nodes() if "device nodes" in allowed else (),
        )
    if "seccomp" in layers:
        for exception in _CALLS.keys() - set(allowed):
            for call in _CALLS[exception]:
                syscalls.CUDA_X86_64.pop(call)
                syscalls.CUDA_AARCH64.pop(call)
        seccomp.install(seccomp.program(os.getpid(), with_cuda="requests" in allowed))
    if "memory" in layers:
        lockdown.limit_memory(_MEMORY_MIB, address_space=False)


def driver_steps() -> Iterator[tuple[str, Callable[[], object]]]:
    """What any CUDA program asks of the driver before its first kernel."""
    driver: list[Any] = []
    count, context, pointer = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_void_p()
    size = ctypes.c_size_t(2**26)

    def calls(function: str, *arguments: Any) -> Callable[[], None]:
        def call() -> None:
            if code := getattr(driver[0], function)(*arguments):
                raise OSError(f"{function} returned {code}")

        return call

    yield "dlopen libcuda.so.1", lambda: driver.append(ctypes.CDLL("libcuda.so.1"))
    yield "cuInit", calls("cuInit", 0)
    yield "cuDeviceGetCount", calls("cuDeviceGetCount", ctypes.byref(count))
    yield "context", calls("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
    yield "current context", calls("cuCtxSetCurrent", context)
    yield "64 MiB", calls("cuMemAlloc_v2", ctypes.byref(pointer), size)
    yield "64 MiB, pinned", calls("cuMemHostAlloc", ctypes.byref(pointer), size, 0)


def torch_steps(device: str) -> Iterator[tuple[str, Callable[[], object]]]:
    """What our programs ask of torch, by name; on "cpu", a rehearsal, what needs no CUDA."""
    import torch
    from torch.nn import functional

    half = torch.bfloat16

    def attention() -> None:
        q = torch.randn(2, 4, 128, 64, device=device, dtype=half, requires_grad=True)
        functional.scaled_dot_product_attention(q, q, q, is_causal=True).sum().backward()  # type: ignore[no-untyped-call]

    def adamw() -> None:
        params = [torch.randn(64, device=device, requires_grad=True) for _ in range(8)]
        for parameter in params:
            parameter.grad = torch.ones_like(parameter)
        torch.optim.AdamW(params, foreach=True).step()
        torch.optim.AdamW(params, fused=True).step()

    def product() -> float:
        x = torch.randn(512, 512, device=device, dtype=half)
        return float((x @ x).sum())

    def pinned() -> float:
        return float(torch.ones(2**20).pin_memory().to(device, non_blocking=True).sum())

    def graph() -> None:
        recorded, x = torch.cuda.CUDAGraph(), torch.ones(64, 64, device=device)
        with torch.cuda.graph(recorded):
            x @ x
        recorded.replay()

    yield "torch", lambda: torch.zeros(1, device=device).item()
    yield "product (cuBLAS)", product
    yield "attention, backward", attention
    yield "AdamW, foreach and fused", adamw
    if device == "cuda":
        yield "copy of pinned memory", pinned
        yield "graph", graph
        yield "8 GiB", lambda: torch.empty(2**33, dtype=torch.uint8, device=device).numel()
        yield "the end of all kernels", torch.cuda.synchronize


def main() -> None:
    """Locks this process down, and takes the steps until one fails: exit status 1."""
    asked = json.loads(sys.argv[1])
    preload.load_torch(with_devices=True)  # before the lockdown, as in the zygote of races
    steps = list(torch_steps(asked["device"]))
    lock_down(asked["layers"], asked["allowed"])
    if asked["device"] == "cuda":
        steps = [*driver_steps(), *steps]
    if asked["only"]:
        steps = [step for step in steps if step[0] in asked["only"]]
    for name, take in steps:
        begun = time.perf_counter()
        try:
            take()
        except Exception as error:  # of the driver or torch: any class
            reason = f"{type(error).__name__}: {error}".splitlines()[0]
            print(json.dumps({"step": name, "error": reason}), flush=True)
            os._exit(1)
        took = round(1e3 * (time.perf_counter() - begun), 1)
        print(json.dumps({"step": name, "ms": took}), flush=True)
    os._exit(0)  # a driver's threads may hang at the end of a process


if __name__ == "__main__":
    main()
