"""A machine with a CUDA device, for machines without one: torch shows a device that cannot compute.

    python -m tests.harness.judge.fake_device 2 train_loop linear_backward

grades the reference on it, two tests at a time, and prints the result: the marks, and for a worker
of each zygote whether it sees the device, and on which one it trained.

The device is torch's own backend for devices written in Python: the first backward pass counts it
and starts a thread for it, as for CUDA. Like CUDA's runtime it reads CUDA_VISIBLE_DEVICES when it
is first used. It has no driver: on a real device an optimizer's step initializes CUDA, and a
process that did so cannot use CUDA after a fork.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[3]


def install() -> None:
    """Installs the device in this process, before its first backward pass or even before torch."""
    for name in ("OMP", "MKL", "OPENBLAS"):  # as the grader does before its own first import
        os.environ.setdefault(f"{name}_NUM_THREADS", "1")
    import torch
    from torch.utils import backend_registration

    class Module(backend_registration._DummyBackendModule):  # type: ignore[misc]
        def get_amp_supported_dtype(self) -> list[torch.dtype]:
            return [torch.bfloat16, torch.float16]

    real = torch.autograd.backward

    def backward(*args: Any, **kwargs: Any) -> None:
        torch.autograd.backward = real
        if os.environ.get("CUDA_VISIBLE_DEVICES") != "":
            setup = backend_registration._setup_privateuseone_for_python_backend
            setup("fakecuda", backend_module=Module())
        real(*args, **kwargs)

    torch.autograd.backward = backward


def in_zygotes() -> None:
    """Installs the device in every zygote that this process starts from now on."""
    from grader.supervisor import zygote

    zygote._BOOT = zygote._BOOT.replace(
        "from grader.worker",
        "from tests.harness.judge import fake_device; fake_device.install(); from grader.worker",
    )


PROBE = """
import os
import torch

def sees():
    return os.environ.get("CUDA_VISIBLE_DEVICES") != ""

def trains():
    (torch.ones(1, requires_grad=True) * 2).backward()
    return torch._C._get_privateuse1_backend_name()
"""


def main(lanes: str, *exercises: str) -> None:
    """Grades the reference, asks a worker of each zygote, and prints a line of JSON."""
    install()
    in_zygotes()
    from grader.judge.grader import Grader
    from grader.judge.implementation import GradedImplementation
    from grader.supervisor.pool import WorkerPool

    seen = []
    with Grader(lanes=int(lanes)) as grader, TemporaryDirectory() as folder:
        grade = grader.grade(REPOSITORY / "solutions", only=exercises, nonce="1", tests="hidden")
        threads = len(list(Path("/proc/self/task").iterdir()))
        package = Path(folder) / grader.manifest.package
        package.mkdir()
        Path(folder).chmod(0o755)  # for workers
        (package / "probe.py").write_text(PROBE)
        of_races = grader.zygote.with_device("GPU-1", 256)
        for zygote in (grader.zygote, of_races):
            pool = WorkerPool(zygote, Path(folder), grader.manifest.package, spare=False)
            implementation = GradedImplementation(pool, grader.manifest.limits, 1)
            seen.append([implementation.probe.sees(), implementation.probe.trains()])
            implementation.close()
            zygote.drain()
        of_races.close()
    print(json.dumps([grade.score, grade.max_score, list(grade.faults), threads, *seen]))


if __name__ == "__main__":
    main(*sys.argv[1:])
