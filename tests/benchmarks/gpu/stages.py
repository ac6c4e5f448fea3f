"""The stages of the campaign `gpu`: each runs in a process, and returns what JSON can hold."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from tests.benchmarks.gpu import variants

if TYPE_CHECKING:
    from grader.results.record import Block
    from grader.supervisor.pool import WorkerPool

T = TypeVar("T")

ROOT = Path(__file__).resolve().parents[3]
REFERENCE = ROOT / "solutions"
# The race of each program is the timing test of this exercise.
RACES = {
    "adamw": "fast_adamw",
    "batches": "fast_batches",
    "training": "fast_training",
    "matmul_chain": "fast_products",
}
# All stages, most wanted first, with the seconds that each may take.
STAGES: dict[str, float] = {
    "facts": 30.0,
    "limits": 40.0,
    **{f"race {program}": 130.0 for program in RACES},
    "budgets": 30.0,
    "timer": 40.0,
    "race matmul_chain in TF32": 100.0,
    "cheats": 120.0,
    "race batches by copies": 120.0,
    "race adamw by a loop": 120.0,
    **{f"variants {program}": 90.0 for program in variants.NAMES},
    "tiers": 60.0,
    "zygotes": 30.0,
    "ladder": 60.0,
    "programs of the handout": 120.0,
    "grading": 400.0,
}
# The timing tests, as checks name them.
TIMED = {
    f"test_performance::{name}"
    for name in re.findall(
        r"def (test_\w+)", (ROOT / "tests/timing/test_performance.py").read_text()
    )
}
TF32 = """
import torch

def matmul_chain(x, weights):
    torch.backends.cuda.matmul.allow_tf32 = True
    for weight in weights:
        x = torch.nn.functional.leaky_relu(x @ weight, 0.8)
        x = x / x.square().mean(-1, keepdim=True).sqrt()
    return x
"""
# Asks torch whether this process may not use CUDA, since the one it was forked from did.
BAD_FORK = """
import torch

def is_in_bad_fork():
    return torch.cuda._is_in_bad_fork()
"""
BY_COPIES = """
def prefetch(batches, device):
    for batch in batches:
        yield tuple(tensor.to(device) for tensor in batch)
"""
BY_A_LOOP = """
def adamw_update(params, grads, exp_avgs, exp_avg_sqs, *, step, lr, betas, eps, weight_decay):
    first, second = betas
    for p, g, m, v in zip(params, grads, exp_avgs, exp_avg_sqs):
        p.mul_(1 - lr * weight_decay)
        m.mul_(first).add_(g, alpha=1 - first)
        v.mul_(second).addcmul_(g, g, value=1 - second)
        root = v.sqrt().div_((1 - second**step) ** 0.5).add_(eps)
        p.addcdiv_(m, root, value=-lr / (1 - first**step))
"""


def main() -> None:
    """Runs the stage that the arguments name, and prints its result as a line of JSON."""
    name, device = sys.argv[1:]
    print(json.dumps(run(name, device)), flush=True)


def run(name: str, device: str) -> Any:
    """The result of one stage."""
    kind, _, rest = name.partition(" ")
    stages: dict[str, Callable[[str, str], Any]] = {
        "facts": facts,
        "limits": limits,
        "ladder": ladder,
        "zygotes": zygotes,
        "variants": of_variants,
        "tiers": tiers,
        "race": race,
        "budgets": budgets,
        "timer": timer,
        "cheats": cheats,
        "programs": programs_of_the_handout,
        "grading": grading,
    }
    return stages[kind](rest, device)


def noted(found: T) -> T:
    """Prints a part of a result: a stage that runs out of time has shown at least that."""
    print(json.dumps(found), file=sys.stderr, flush=True)
    return found


# --- what the machine has ------------------------------------------------------------------------


def facts(_: str, device: str) -> Any:
    """The machine, the driver, torch."""
    import torch

    from grader.doctor import cuda as cuda_doctor

    name, _ = cuda_doctor.device_of(device)
    query = "name,driver_version,pcie.link.gen.current,power.limit,mig.mode.current"
    command = ["nvidia-smi", f"--query-gpu={query}", "--format=csv,noheader"]
    said = "no nvidia-smi"
    if shutil.which(command[0]):
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
        said = done.stdout.strip() or done.stderr.strip()
    versions = {"torch": torch.__version__, "python": sys.version.split()[0]}
    return {"device": name, "nvidia-smi": said, **versions, **cuda_doctor.facts()}


def limits(_: str, device: str) -> Any:
    """What the device reaches in a plain product, a copy, and a copy from the host."""
    import torch

    on_cuda = device == "cuda"
    n, elements = (8192, 2**28) if on_cuda else (256, 2**20)

    def per_second(amount: float, call: Callable[[], Any], calls: int) -> float:
        """The amount of a call times the calls in a second, after as many that warm up."""
        for _ in range(2):
            begun = time.perf_counter()
            for _ in range(calls):
                call()
            if on_cuda:
                torch.cuda.synchronize()
        return amount * calls / (time.perf_counter() - begun)

    a, b = (torch.randn(n, n, device=device).bfloat16() for _ in range(2))
    source = torch.randn(elements, device=device)
    target = torch.empty_like(source)
    host = torch.empty(elements // 4, pin_memory=on_cuda)
    part = target[: len(host)]
    return {
        # Long enough to reach the device's limit of power.
        "FLOP/s": per_second(2.0 * n**3, lambda: a @ b, 1000 if on_cuda else 1),
        "bytes/s": per_second(8.0 * elements, lambda: target.copy_(source), 20),
        "bytes/s from the host": per_second(
            4.0 * len(host), lambda: part.copy_(host, non_blocking=True), 8
        ),
    }


def ladder(_: str, device: str) -> Any:
    """Every rung of `grader doctor --cuda`."""
    from grader.doctor import cuda as cuda_doctor

    _, uuid = cuda_doctor.device_of(device)
    return [
        noted({"rung": rung.name, "failed": rung.failed, "reason": rung.reason, "ms": rung.steps})
        for rung in cuda_doctor.climb(device, uuid)
    ]


def zygotes(_: str, device: str) -> Any:
    """Whether both zygotes can be forked (one thread, no device held open), and may use CUDA then.

    With a CUDA build of torch no worker of tests may, and each worker of races.
    """
    from assignment import manifest as manifests
    from grader.doctor import cuda as cuda_doctor
    from grader.isolation import TIERS
    from grader.judge.grader import SECRETS
    from grader.supervisor.pool import WorkerPool
    from grader.supervisor.zygote import Zygote

    limits = msgspec.structs.replace(manifests.load().limits, address_space=False)

    found = {}
    for uuid in (None, cuda_doctor.device_of(device)[1]):
        zygote = Zygote(TIERS, SECRETS, device=uuid)
        try:
            zygote.wait()
            package = zygote.submissions / "1" / "resource_accounting"
            package.mkdir(parents=True)
            (package / "probe.py").write_text(BAD_FORK)
            pool = WorkerPool(zygote, package.parent, package.name, spare=False)
            with pool.worker(limits, 1) as worker:
                bad = worker.call("probe.is_in_bad_fork", (), {})
            name = "of races" if zygote.has_device else "of tests"
            found[name] = {"tier": zygote.tier, "worker is in a bad fork": bad}
        finally:
            zygote.close()
    return found


def of_variants(program: str, device: str) -> Any:
    """How each way to write a program behaves without a lockdown."""
    return [noted(variants.measured(program, name, device)) for name in variants.NAMES[program]]


# --- behind the lockdown -------------------------------------------------------------------------


def tiers(_: str, device: str) -> Any:
    """Whether a real worker can use the device, in each tier."""
    from grader.doctor import cuda as cuda_doctor
    from grader.isolation import TIERS

    _, uuid = cuda_doctor.device_of(device)
    here = f"{ROOT}/"
    return {
        tier: noted((cuda_doctor.why_not_in(tier, device, uuid) or "works").replace(here, ""))
        for tier in TIERS
    }


def race(what: str, device: str) -> Any:
    """A race of the reference against itself, or of another way to write a program."""
    from assignment import programs
    from grader.races.race import Race

    program, _, how = what.partition(" ")
    one_block = Race._block
    begun = time.monotonic()

    def noted_block(self: Race, who: WorkerPool) -> Block:
        block = one_block(self, who)
        at, naive = round(time.monotonic() - begun, 1), who is self.parties.naive
        noted({"at": at, "naive": naive, "seconds": block.seconds, "void": block.void})
        return block

    Race._block = noted_block  # type: ignore[method-assign]  # of this process
    text = {"in TF32": TF32, "by a loop": BY_A_LOOP, "by copies": BY_COPIES}.get(how, "")
    grade = graded(RACES[program], text, device)
    (check,) = [c for c in timed(grade) if c.timing or c.cause]
    if check.timing is None:
        return {"cause": str(check.cause), "detail": check.detail}
    timing = check.timing
    return {
        "tier": grade.isolation.tier,
        "mark": timing.mark,
        "ratio": timing.ratio,
        "low": timing.low,
        "high": timing.high,
        "naive": timing.naive_ratio,
        "reference seconds": timing.reference_seconds,
        "blocks": len(timing.quads),
        "void": [block.void for block in timing.quads if block.void],
        "work": programs.find(program).work(timing.sizes),
        "sizes": timing.sizes,
        "device": timing.device,
        "seconds of blocks": [[*block.seconds] for block in timing.quads],
    }


def budgets(_: str, device: str) -> Any:
    """Which memory budgets are enough for the reference."""
    found = timed(graded("little_memory", "", device))
    return [_of(check) for check in found if check.fit or check.cause]


def timer(_: str, device: str) -> Any:
    """Whether the reference's timer agrees with the judge's clock."""
    return [_of(check) for check in timed(graded("true_timer", "", device))]


def _of(check: Any) -> Any:
    fit = check.fit and {"budgets": check.fit.budgets, "fitted": check.fit.fitted}
    found = {"state": check.state, "cause": str(check.cause), "detail": check.detail, "fit": fit}
    truth = check.truth
    return found | {"truth": truth and {"seconds": truth.seconds, "MFU": truth.mfu}}


def graded(exercise: str, text: str, device: str) -> Any:
    """A grading of one exercise: of the reference, with the module's text added to it.

    A race has as few blocks as an interval needs: the time is short, and the half-width shows what
    more of them would do. On a CPU no exercise needs a device.
    """
    from assignment import manifest as manifests
    from grader.judge.grader import Grader
    from grader.races.statistic import RULES

    manifest = manifests.load()
    rules = {kind: replace(found, looks=found.looks[:1]) for kind, found in RULES.items()}
    if device == "cpu":
        free = tuple(msgspec.structs.replace(e, needs=()) for e in manifest)
        manifest = msgspec.structs.replace(manifest, exercise=free)
        rules["cpu"] = replace(rules["cpu"], block_seconds=0.0, least_span=0.0)
    with tempfile.TemporaryDirectory() as folder:
        package = Path(folder) / "resource_accounting"
        shutil.copytree(REFERENCE / "resource_accounting", package)
        changed = "device" if exercise == RACES["batches"] else "performance"
        with (package / f"{changed}.py").open("a") as module:
            module.write(text)
        with Grader(manifest=manifest, race_rules=rules) as grader:
            timing = "require" if device == "cuda" else "auto"
            grade = grader.grade(package.parent, only=[exercise], timing=timing)  # type: ignore[arg-type]
    if grade.faults:
        raise RuntimeError("; ".join(grade.faults))
    return grade


def timed(grade: Any) -> list[Any]:
    """Its timing checks."""
    return [check for check in grade.checks if check.test in TIMED]


def cheats(_: str, device: str) -> Any:
    """The last line of the tests of cheats that need CUDA."""
    which = "on_cuda" if device == "cuda" else "shrinks_its_inputs"
    command = [sys.executable, "-m", "pytest", "-q", "-m", "", "-k", which, "-p", "no:xdist"]
    command.append("tests/harness/races/test_cheats.py")
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip().splitlines()[-1]


def grading(_: str, device: str) -> Any:
    """All of the reference's points, as a course grades it: races go on until they are decided."""
    from grader.judge.grader import Grader

    with Grader() as grader:
        grade = grader.grade(REFERENCE, timing="require" if device == "cuda" else "auto")
    races = {
        timing.program: [timing.ratio, timing.low, timing.high, len(timing.quads)]
        for check in grade.checks
        if (timing := check.timing)
    }
    points = [grade.score, grade.max_score]
    return {"points": points, "faults": grade.faults, "verdicts": grade.verdicts, "races": races}


def programs_of_the_handout(_: str, device: str) -> Any:
    """What `make bench` shows a student who has the reference's functions."""
    with tempfile.TemporaryDirectory() as folder:
        handout = Path(folder) / "handout"
        shutil.copytree(ROOT / "handout", handout)
        shutil.rmtree(handout / "resource_accounting")
        shutil.copytree(REFERENCE / "resource_accounting", handout / "resource_accounting")
        picture = ["--picture", f"{folder}/roofline.svg"]
        done = subprocess.run(
            [sys.executable, "-m", "assignment", "bench", *picture],
            cwd=handout,
            env=os.environ | ({"CUDA_VISIBLE_DEVICES": ""} if device == "cpu" else {}),
            capture_output=True,
            text=True,
            check=False,
        )
    return (done.stdout or done.stderr).splitlines()[-30:]
