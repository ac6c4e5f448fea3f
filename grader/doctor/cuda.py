"""Which layer of the lockdown a CUDA device cannot be used behind: `grader doctor --cuda`.

First a ladder: the same steps in a fresh process a rung, with more and more of the lockdown. Then a
real worker in each tier.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from assignment import programs
from assignment.calls.devices import allowed
from assignment.manifest import Limits
from grader.doctor.rung import EXCEPTIONS, LAYERS
from grader.faults import GraderFault, SubmissionFailure
from grader.intake.entries import SubmissionError
from grader.intake.stage import stage
from grader.isolation import TIERS, CannotIsolate
from grader.judge.grader import SECRETS
from grader.paths import REPOSITORY
from grader.races.device import Cuda, NoDevice
from grader.sandbox import cuda, landlock
from grader.supervisor.pool import WorkerPool
from grader.supervisor.zygote import Zygote, environment_of

_RUNG_SECONDS = 120.0
_BOOT = (
    "import sys; sys.path.insert(0, sys.argv.pop(1)); from grader.doctor.rung import main; main()"
)
_PROGRAMS = ("matmul_chain", "training", "adamw", "batches")  # that a worker runs, in small sizes
_PACKAGE = "resource_accounting"
_LIMITS = Limits(seconds=60.0, memory_mib=16384, address_space=False)
_SEED, _START_SEED = 1, 2  # of a program's inputs, and of the state that it starts from
# What to change where the device cannot be used behind a layer, with all exceptions that it has.
_CHANGES = {
    "rlimits": "raise the limit for CUDA workers in limit_resources (grader/sandbox/lockdown.py)",
    "memory": "raise memory_mib of the exercises that need a device (assignment/assignment.toml)",
    "user": "let other users open the device's nodes and the driver's libraries (chmod)",
    "landlock": "add the path to grader/sandbox/cuda.py",
    "seccomp": "add the call to CUDA_X86_64 (grader/sandbox/syscalls.py), the request to cuda.py",
}
_CHANGES_OF_THE_MACHINE = {
    "dlopen libcuda.so.1": "install NVIDIA's driver, name its folder in LD_LIBRARY_PATH, or start "
    "the container with --gpus",
    "torch": "install a build of torch for the driver's CUDA",
}


class Rung(msgspec.Struct, frozen=True):
    """What one process was locked down with, and how far it came."""

    layers: tuple[str, ...]
    allowed: tuple[str, ...]  # exceptions of these layers
    steps: dict[str, float]  # that succeeded, with their milliseconds
    failed: str  # the step that failed; "" if none did
    reason: str

    @property
    def name(self) -> str:
        """In words; several layers are always all of them."""
        if len(self.layers) > 1:
            return "all layers, with all exceptions"
        if not self.layers:
            return "no lockdown"
        return " + ".join((*self.layers, *self.allowed))


class CudaDiagnosis(msgspec.Struct, frozen=True):
    """What was found."""

    device: str  # its name and UUID, or what is missing
    facts: dict[str, str]  # of the driver and the machine
    rungs: tuple[Rung, ...]  # from nothing to everything
    tiers: dict[str, str]  # for each "" if a real worker used the device there, or what failed

    @property
    def works(self) -> bool:
        """Whether a worker can use the device in some tier."""
        return "" in self.tiers.values()

    def advice(self) -> Iterator[str]:
        """What fails first and what to change: without lockdown, or else behind a layer or all."""
        first = self.rungs[0]
        if first.failed:
            change = _CHANGES_OF_THE_MACHINE.get(first.failed, "mend the machine")
            yield f"without any lockdown {first.failed} fails: {first.reason}; first {change}"
            return
        alone = [rung for rung in self.rungs if len(rung.layers) == 1]
        last_of = {rung.layers[0]: rung for rung in alone}
        for layer, last in last_of.items():
            if last.failed:
                yield (
                    f"{layer} with all its exceptions: {last.failed} fails: {last.reason}; "
                    f"{_CHANGES[layer]}"
                )
        whole = self.rungs[-1]
        if whole.failed and not any(rung.failed for rung in alone):
            yield f"only all layers together: {whole.failed} fails: {whole.reason}"


def diagnose() -> CudaDiagnosis:
    """Climbs the ladder and tries a worker in each tier, even if no device is found."""
    name, uuid = device_of("cuda")
    rungs = tuple(climb("cuda", uuid))
    tiers = {tier: why_not_in(tier, "cuda", uuid) for tier in TIERS}
    return CudaDiagnosis(name, facts(), rungs, tiers)


def device_of(kind: str) -> tuple[str, str]:
    """The name and UUID of the device "cuda"; "cpu", to rehearse the doctor itself, has none.

    Where no device can be used: why, and `CUDA_VISIBLE_DEVICES` (or "0") in place of the UUID.
    """
    if kind == "cpu":
        return "a CPU, to rehearse", ""
    try:
        found = Cuda()
    except NoDevice as missing:
        return str(missing), ",".join(allowed() or ["0"])
    found.start_driver()
    return f"{found.name}, {found.identity}", found.identity


def climb(device: str, uuid: str) -> Iterator[Rung]:
    """No layer; each layer alone, with more and more exceptions until it holds; all layers."""
    # Only root can become another user, and some kernels have no Landlock.
    lacks = {"user": os.geteuid() != 0, "landlock": not landlock.abi()}
    layers = [layer for layer in LAYERS if not lacks.get(layer)]
    yield try_rung((), (), device, uuid)
    for layer in layers:
        exceptions = EXCEPTIONS.get(layer, ())
        for count in range(len(exceptions) + 1):
            yield (found := try_rung((layer,), exceptions[:count], device, uuid))
            if not found.failed:
                break
    everything = tuple(name for layer in layers for name in EXCEPTIONS.get(layer, ()))
    yield try_rung(tuple(layers), everything, device, uuid)


def try_rung(
    layers: tuple[str, ...],
    exceptions: tuple[str, ...],
    device: str,
    uuid: str,
    steps: tuple[str, ...] = (),
) -> Rung:
    """Takes the steps (all if empty) in a fresh process, behind these layers with these exceptions.

    Raises nothing for a step that fails: the rung says which, and why.
    """
    asked = {"layers": layers, "allowed": exceptions, "device": device, "only": steps}
    threads = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    command = [sys.executable, "-s", "-P", "-X", "utf8", "-c", _BOOT, str(REPOSITORY)]
    try:
        done = subprocess.run(
            [*command, json.dumps(asked)],
            env=environment_of(uuid) | threads,
            cwd="/",
            capture_output=True,
            text=True,
            timeout=_RUNG_SECONDS,
            check=False,
        )
        output, status, said = done.stdout, done.returncode, done.stderr.strip()
    except subprocess.TimeoutExpired as late:
        # Bytes, also where text was asked for.
        output = (late.stdout or b"").decode(errors="replace")
        status, said = 1, f"no answer in {_RUNG_SECONDS:.0f} s"
    reports = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
    steps_taken = {step["step"]: step["ms"] for step in reports if "ms" in step}
    failed, reason = next(((s["step"], s["error"]) for s in reports if "error" in s), ("", ""))
    if status and not failed:
        failed, reason = f"what follows {next(reversed(steps_taken), 'the start')}", ""
    last_words = said.splitlines()[-1] if said and status else ""
    reason = " ".join(filter(None, (reason, last_words)))
    return Rung(layers, exceptions, steps_taken, failed, reason)


def why_not_in(tier: str, device: str, uuid: str) -> str:
    """Runs the reference's programs in a real worker of a tier; "" if all ran."""
    solutions = REPOSITORY / "solutions" / _PACKAGE
    modules = tuple(path.stem for path in solutions.glob("*.py"))
    try:
        zygote = Zygote((tier,), SECRETS, _LIMITS.memory_mib, device=uuid)
    except OSError as error:
        return str(error)
    try:
        zygote.wait()
        folder = zygote.submissions / "1"
        stage(solutions, folder, _PACKAGE, modules)
        pool = WorkerPool(zygote, folder, _PACKAGE, spare=False)
        for name in _PROGRAMS:
            sizes = programs.find(name).sizes_on("cpu", 0)
            with pool.worker(_LIMITS, _SEED) as worker:
                try:
                    worker.call("programs.prepare", (name, device, sizes, _SEED), {})
                    worker.call("programs.run", (name, _START_SEED), {})
                except SubmissionFailure as failure:
                    return f"{name}: {failure.cause}: {failure}"
                except Exception as error:  # of the reference, as any class
                    return f"{name}: {type(error).__name__}: {error}"
        return ""
    except (CannotIsolate, GraderFault, SubmissionError) as error:
        return str(error)
    finally:
        zygote.close()


def facts() -> dict[str, str]:
    """What decides whether a driver works here, by name; "" for what this machine lacks."""
    capabilities = re.search(r"^CapEff:\t(.*)", Path("/proc/self/status").read_text(), re.M)
    return {
        "kernel": os.uname().release,
        "capabilities": capabilities[1] if capabilities else "",
        "landlock": str(landlock.abi()),
        "device nodes": " ".join(cuda.device_nodes()),
        "driver": _first_line("/proc/driver/nvidia/version"),
        "module": _first_line("/sys/module/nvidia/initstate"),
        "memory module": _first_line("/sys/module/nvidia_uvm/initstate"),
        "libraries": " ".join(cuda.libraries()),
    }


def _first_line(path: str) -> str:
    try:
        return Path(path).read_text().splitlines()[0]
    except (OSError, IndexError):
        return ""


def report(found: CudaDiagnosis) -> RenderableType:
    """For people: the device, each rung with the first step that failed, each tier."""
    facts, rungs, tiers = (Table(box=None, pad_edge=False, show_header=False) for _ in range(3))
    for name, value in found.facts.items():
        facts.add_row(name, value or "none")
    for one in found.rungs:
        took = f"{len(one.steps)} steps, {sum(one.steps.values()):.0f} ms"
        said = f"{one.failed}: {one.reason}" if one.failed else took
        rungs.add_row(_marked(one.name, not one.failed), said)
    for tier, reason in found.tiers.items():
        said = reason or "the reference's programs ran in a worker"
        tiers.add_row(_marked(tier, not reason), said)
    verdict = Text("Races can run here." if found.works else "No race can run here.", style="bold")
    advice = [Text(f"! {line}", style="yellow") for line in found.advice()]
    return Group(verdict, Text(found.device), *advice, Text(), facts, Text(), rungs, tiers)


def _marked(name: str, holds: bool) -> Text:
    return Text("✓ " if holds else "✗ ", style="green" if holds else "red") + Text(name)
