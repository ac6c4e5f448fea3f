"""The process of `make train` that trains. It is killed in the middle, and another one goes on.

It uses the student's functions as their docstrings say, and tells its parent what happens through a
pipe. In place of a function that is not written yet it uses torch's, if torch has it. Without a
file of tokens they stay in memory, and without a checkpoint nothing is killed.
"""

from __future__ import annotations

import contextlib
import math
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional
from torch.utils.flop_counter import FlopCounterMode

from assignment.calls.implementation import Package, seed_everything
from assignment.calls.text import show
from assignment.material.small_transformer import Sizes, Transformer, cross_entropy
from assignment.material.step_counts import LiveBytes, state_of
from assignment.student import problems
from assignment.student.bench import timed

LEAST_STEPS = 40  # of a run, however short
CHECKPOINT = {"checkpoint.save_checkpoint", "checkpoint.load_checkpoint"}
_RATE, _WARM_UP, _MAX_NORM = 2e-3, 100, 1.0  # learning rate, steps of its warm-up, clipped norm
_PROMPT, _LENGTH, _TEMPERATURE = b"def ", 600, 0.7  # of the text that the model writes


@dataclass(frozen=True)
class Job:
    """What a process is to do; `folder` holds its files.

    `steps` is 0 before the first process has measured how many fit into `seconds`. A process with
    `resume`, a step, goes on from the checkpoint of that step.
    """

    package: str
    folder: Path
    sizes: Sizes
    bf16: bool
    seconds: float
    steps: int = 0
    stubs: frozenset[str] = frozenset()
    resume: int = 0

    @property
    def checkpoint(self) -> Path:
        return self.folder / "checkpoint.pt"

    @property
    def loop(self) -> str:
        return "precision.train_bf16" if self.bf16 else "training.train"


# What a process sends to its parent: a word, and
#   ready     names of stubs, the number of steps, and what a step needs: the first process, before
#             it trains
#   loaded    what `load_checkpoint` returned, as text: the second process, before it trains
#   trained   the losses of some steps, and the seconds that they took
#   saved     the step of the checkpoint
#   wrote     the text that the model wrote, at the end
#   failed    why training cannot go on
Message = tuple[str, Any]


def main(job: Job, pipe: Connection) -> None:
    """Trains, and sends messages."""
    trainer = _Trainer(job, Package(job.package), pipe.send)
    try:
        trainer.run()
        if not job.resume:
            pipe.recv()  # it came to its end before it was killed, and waits for that
    except (Exception, SystemExit) as error:
        folder = problems.folder_of(job.package)
        with contextlib.suppress(OSError):  # nobody listens any more
            pipe.send(("failed", problems.describe(error, folder, trainer.consequence)))


class _Trainer:
    """What the process does for a job; `send` takes its messages."""

    def __init__(self, job: Job, student: Any, send: Callable[[Message], None]) -> None:
        self._job, self._student, self._send = job, student, send
        self._stubs = job.stubs
        self.consequence = "training cannot go on"  # said of an error outside the student's code

    def run(self) -> None:
        job, tokens = self._job, self._job.folder / "tokens.bin"
        if not job.resume:
            self._stubs = self._find_stubs()
        if self._stubs & {"data.write_tokens", "data.open_tokens"}:
            self._tokens = _standard_library()
        else:
            if not job.resume:
                self._function("data.write_tokens")(tokens, _standard_library(), np.uint8)
            self._tokens = self._function("data.open_tokens")(tokens, np.uint8)
        steps = job.steps or self._rehearse()
        # Resumes with another seed, so that only the checkpoint can bring the same state back.
        model, optimizer = self._build(seed=job.resume)
        if job.resume:
            step = self._function("checkpoint.load_checkpoint")(job.checkpoint, model, optimizer)
            self._send(("loaded", show(step)))
        chunk = max(1, steps // 100)
        save_at = steps // 2 // chunk * chunk
        for start in range(job.resume, steps, chunk):
            stop = min(start + chunk, steps)
            begun = time.perf_counter()
            losses = self._train(model, optimizer, range(start, stop), steps)
            self._send(("trained", (losses, time.perf_counter() - begun)))
            if stop == save_at and not self._stubs & CHECKPOINT:
                self._function("checkpoint.save_checkpoint")(job.checkpoint, model, optimizer, stop)
                self._send(("saved", stop))
        self._send(("wrote", _sample_text(model, job.sizes.context)))

    def _function(self, name: str) -> Any:
        """The student's function of this name, or torch's in place of a stub."""
        module, _, function = name.partition(".")
        if name in self._stubs:
            return _SUBSTITUTES[name]
        return getattr(getattr(self._student, module), function)

    def _build(self, seed: int) -> tuple[Transformer, torch.optim.Optimizer]:
        """A new model, and its optimizer, which clips the gradients before each step."""
        self._function("seeding.seed_everything")(seed)
        model = Transformer(self._job.sizes)
        nn.init.normal_(model.embedding.weight, std=0.02)  # it is the lm_head's matrix, too
        optimizer = self._function("optimizers.AdamW")(
            model.parameters(), lr=_RATE, betas=(0.9, 0.99), weight_decay=0.1
        )
        clip = self._function("training.clip_grad_norm")

        def clip_all(*_: Any) -> None:
            clip(model.parameters(), _MAX_NORM)

        optimizer.register_step_pre_hook(clip_all)
        return model, optimizer

    def _train(
        self, model: Transformer, optimizer: torch.optim.Optimizer, numbers: range, steps: int
    ) -> list[float]:
        """Trains the steps of these numbers, out of `steps` in all; returns their losses."""
        sizes = self._job.sizes

        def batches() -> Iterator[Any]:
            for number in numbers:
                decay = 0.55 + 0.45 * math.cos(math.pi * number / steps)
                for group in optimizer.param_groups:
                    group["lr"] = _RATE * min(1.0, (number + 1) / _WARM_UP) * decay
                yield self._function("data.get_batch")(self._tokens, sizes.batch, sizes.context)

        losses = self._function(self._job.loop)(model, optimizer, batches(), cross_entropy)
        wanted = [float] * len(numbers)
        if not isinstance(losses, list) or [type(loss) for loss in losses] != wanted:
            raise TypeError(f"{self._job.loop} gave {show(losses)}, not {len(wanted)} floats")
        return losses

    def _rehearse(self) -> int:
        """Measures steps of a model, drops it, and sends "ready"; returns how many steps fit."""
        model, optimizer = self._build(seed=0)
        step = partial(self._train, model, optimizer, range(1), 1)
        step()  # makes the moments
        live, flops, measured = LiveBytes(), FlopCounterMode(display=False), dict[str, int]()
        for name, tensors in state_of(model, optimizer):
            measured[name] = sum(tensor.nbytes for tensor in tensors)
            for tensor in tensors:
                live.watch(tensor)
        del tensors, tensor  # the step frees the last one's gradients
        with flops, live:
            step()
        seconds = timed(step, torch.device("cpu"), warm_ups=0)
        steps = max(LEAST_STEPS, int(self._job.seconds / seconds))
        steps -= steps % (10 * max(1, steps // 100))  # whole tenths, of ten messages if many
        measured["parameters"] = sum(p.numel() for p in model.parameters())
        measured |= {"flops": flops.get_total_flops(), "peak_bytes": live.peak}
        self._send(("ready", (self._stubs, steps, measured)))
        return steps

    def _find_stubs(self) -> frozenset[str]:
        """The names of the functions that are not written yet: calls each with tiny arguments.

        Nothing trains without batches and a loop, so stubs of these two raise.
        """
        path, model, one = self._job.folder / "trial", nn.Linear(1, 1), torch.ones(1, 1)
        sgd = torch.optim.SGD(model.parameters(), lr=0.1)
        trials: dict[str, Callable[[Any], object]] = {
            "data.write_tokens": lambda write: write(path, [1, 2], np.uint8),
            "data.open_tokens": lambda open_: open_(path, np.uint8),
            "data.get_batch": lambda get: torch.stack(get(np.arange(9), 1, 2)).view(2, 1, 2),
            "seeding.seed_everything": lambda seed: seed(0),
            "optimizers.AdamW": lambda adamw: adamw(model.parameters(), lr=0.1).step(),
            "training.clip_grad_norm": lambda clip: clip(model.parameters(), 1.0),
            self._job.loop: lambda loop: loop(model, sgd, [(one, one)], functional.mse_loss),
            "checkpoint.save_checkpoint": lambda save: save(path, model, sgd, 0),
            "checkpoint.load_checkpoint": lambda load: (
                self._function("checkpoint.save_checkpoint")(path, model, sgd, 0),
                load(path, model, sgd),
            ),
        }
        model(one).sum().backward()
        path.write_bytes(bytes(2))  # for `open_tokens` if `write_tokens` is a stub
        folder, stubs = problems.folder_of(self._job.package), set[str]()
        for name, trial in trials.items():
            self.consequence = f"{name} does not do what its docstring says"
            try:
                trial(self._function(name))
            except NotImplementedError as error:
                is_needed = name in ("data.get_batch", self._job.loop)
                if is_needed or not problems.is_stub(error, folder):
                    raise
                stubs.add(name)
        path.unlink(missing_ok=True)
        self.consequence = "training cannot go on"
        return frozenset(stubs)


def _standard_library() -> np.ndarray[Any, np.dtype[np.uint8]]:
    """The bytes of the source files beside `os`: text that comes with every Python."""
    files = sorted(Path(os.__file__).parent.glob("*.py"))
    return np.frombuffer(b"".join(file.read_bytes() for file in files), np.uint8)


@torch.no_grad()
def _sample_text(model: Transformer, context: int) -> str:
    """Text that the model writes after a prompt, byte by byte."""
    model.eval()
    written = list(_PROMPT)
    for _ in range(_LENGTH):
        seen = written[-context:]
        # The model takes whole contexts. What comes after a token does not change its logits.
        logits = model(torch.tensor([seen + [0] * (context - len(seen))]))[0, len(seen) - 1]
        chances = (logits.float() / _TEMPERATURE).softmax(-1)
        written.append(int(torch.multinomial(chances, 1)))
    return bytes(written).decode(errors="replace")


_SUBSTITUTES: dict[str, Any] = {  # torch's, in place of stubs
    "seeding.seed_everything": seed_everything,
    "optimizers.AdamW": torch.optim.AdamW,
    "training.clip_grad_norm": nn.utils.clip_grad_norm_,
}
