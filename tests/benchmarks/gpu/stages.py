"""The stages of `make gpu`. Each runs in a process of its own and returns what JSON can hold."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from tests.benchmarks.gpu import plan, trace, variants

if TYPE_CHECKING:
    from grader.judge.pool import WorkerPool
    from grader.results.record import Block

T = TypeVar("T")

ROOT = Path(__file__).resolve().parents[3]
REFERENCE = ROOT / "solutions"
# The race of each program is the timing test of this exercise. First those that have not been
# measured yet: a visit to a device is short.
RACES = {
    "batches": "fast_batches",
    "adamw": "fast_adamw",
    "training": "fast_training",
    "matmul_chain": "fast_products",
}
# What a step runs, with the seconds that each stage may take.
STEPS: dict[str, dict[str, float]] = {
    "learn": {
        "facts": 30.0,
        "ladder": 240.0,
        "trace": 90.0,
        "zygotes": 60.0,
        **{f"variants {program}": 150.0 for program in variants.NAMES},
    },
    "lockdown": {
        "facts": 30.0,
        "tiers": 240.0,
        "race adamw": 150.0,
        "race matmul_chain": 150.0,
        "budgets": 90.0,
        "timer": 90.0,
        "cheats": 240.0,
    },
    "table": {
        "facts": 30.0,
        **{f"race {program}": 180.0 for program in RACES},
        "budgets": 60.0,
        "timer": 60.0,
        "race matmul_chain in TF32": 150.0,
        "race adamw by a loop": 150.0,
        "programs of the handout": 120.0,
    },
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
        "ladder": ladder,
        "trace": traced,
        "zygotes": zygotes,
        "variants": of_variants,
        "tiers": tiers,
        "race": race,
        "budgets": budgets,
        "timer": timer,
        "cheats": cheats,
        "programs": programs_of_the_handout,
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

    from grader import cuda_doctor

    name, _ = cuda_doctor.device_of(device)
    query = "name,driver_version,pcie.link.gen.current,power.limit,mig.mode.current"
    command = ["nvidia-smi", f"--query-gpu={query}", "--format=csv,noheader"]
    said = "no nvidia-smi"
    if shutil.which(command[0]):
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
        said = done.stdout.strip() or done.stderr.strip()
    versions = {"torch": torch.__version__, "python": sys.version.split()[0]}
    return {"device": name, "nvidia-smi": said, **versions, **cuda_doctor.facts()}


def ladder(_: str, device: str) -> Any:
    """Every rung of `grader doctor --cuda`."""
    from grader import cuda_doctor

    _, uuid = cuda_doctor.device_of(device)
    return [
        noted({"rung": rung.name, "failed": rung.failed, "reason": rung.reason, "ms": rung.steps})
        for rung in cuda_doctor.climb(device, uuid, ())
    ]


def traced(_: str, device: str) -> Any:
    """What a free CUDA program asks of the kernel that a worker would be refused."""
    if not shutil.which("strace"):
        return "no strace"
    asked = {"layers": [], "allowed": [], "device": device, "driver": device == "cuda", "only": []}
    command = [sys.executable, "-m", "grader.cuda_rung", json.dumps(asked)]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "trace"
        strace = ["strace", "-f", "-qq", "-X", "verbose", "-s", "200", "-o", str(file)]
        subprocess.run([*strace, *command], cwd=ROOT, capture_output=True, check=False)
        return trace.refused(file.read_text(errors="replace").splitlines())


def zygotes(_: str, device: str) -> Any:
    """Whether both zygotes can be forked (one thread, no device held open), and may use CUDA then.

    With a CUDA build of torch no worker of tests may, and each worker of races.
    """
    from assignment import manifest as manifests
    from grader import cuda_doctor
    from grader.isolation import TIERS
    from grader.judge.grader import SECRETS
    from grader.judge.pool import WorkerPool
    from grader.judge.zygote import Zygote

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
    from grader import cuda_doctor
    from grader.isolation import TIERS

    _, uuid = cuda_doctor.device_of(device)
    return {tier: noted(cuda_doctor.why_not_in(tier, device, uuid) or "works") for tier in TIERS}


def race(what: str, device: str) -> Any:
    """A race of the reference against itself, or of another way to write a program."""
    from grader.judge.timing.race import Race

    program, _, how = what.partition(" ")
    one_block = Race._block

    def noted_block(self: Race, who: WorkerPool) -> Block:
        block = one_block(self, who)
        noted({"naive": who is self.parties.naive, "seconds": block.seconds, "void": block.void})
        return block

    Race._block = noted_block  # type: ignore[method-assign]  # of this process
    text = {"in TF32": TF32, "by a loop": BY_A_LOOP}.get(how, "")
    grade = graded(RACES[program], text, device)
    (check,) = [c for c in timed(grade) if c.timing or c.cause]
    if check.timing is None:
        return {"cause": str(check.cause), "detail": check.detail}
    timing = check.timing
    return {
        "tier": grade.isolation.tier,
        "planned": None if how else plan.planned()[program],
        "mark": timing.mark,
        "ratio": timing.ratio,
        "low": timing.low,
        "high": timing.high,
        "naive": timing.naive_ratio,
        "reference seconds": timing.reference_seconds,
        "blocks": len(timing.quads),
        "void": [block.void for block in timing.quads if block.void],
        "sizes": timing.sizes,
        "device": timing.device,
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
    from grader.judge.timing.rules import RULES

    manifest = manifests.load()
    rules = {kind: replace(found, looks=found.looks[:1]) for kind, found in RULES.items()}
    if device == "cpu":
        free = tuple(msgspec.structs.replace(e, needs=()) for e in manifest)
        manifest = msgspec.structs.replace(manifest, exercise=free)
        rules["cpu"] = replace(rules["cpu"], block_seconds=0.0, least_span=0.0)
    with tempfile.TemporaryDirectory() as folder:
        package = Path(folder) / "resource_accounting"
        shutil.copytree(REFERENCE / "resource_accounting", package)
        with (package / "performance.py").open("a") as module:
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
    command = [sys.executable, "-m", "pytest", "-q", "-k", which, "-p", "no:xdist"]
    command.append("tests/harness/judge/timing/test_cheats.py")
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip().splitlines()[-1]


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
