"""`make train`: your own functions train a small transformer, which is killed and goes on.

First your functions count what the training needs. Then others of yours train. In the middle the
process is killed, and a new one resumes from your checkpoint. At the end there is what was measured
beside what was counted, a curve of the loss, and text that the model wrote.
"""

from __future__ import annotations

import importlib.util
import math
import multiprocessing
import signal
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import torch
from rich.console import Console
from rich.table import Table
from rich.text import Text

from assignment.calls.implementation import Package
from assignment.calls.journal import Journal
from assignment.calls.text import show
from assignment.material.small_transformer import Sizes
from assignment.material.step_counts import count_parameters
from assignment.student import problems, trainer
from assignment.student.bench import measured_roofs, si, timed
from assignment.student.predict import TRAIN, difference, read_records, teller
from assignment.student.trainer import Job, Message
from assignment.student.verbs import UserError, command, is_under_make

START = "spawn"  # how processes start: in a new Python, without the threads of this one
_REPEATED = 10  # steps after the checkpoint, at least, that the kill loses: they are repeated
_BF16_AT = 2.0  # from this many times the speed of products in float32, bf16 is worth its casts
_F32 = torch.float32
Say = Callable[[str], None]
_RECIPE = {"parameters": [_F32], "gradients": [_F32], "master": [], "optimizer": [_F32, _F32]}
_ROWS = {  # what is counted and measured: its name, and the chapter whose functions count it
    "parameters": ("parameters", "ledger"),
    "flops": ("FLOPs a step", "flops"),
    "parameter_bytes": ("B of parameters", "budget"),
    "gradient_bytes": ("B of gradients", "budget"),
    "optimizer_bytes": ("B of moments", "budget"),
    "checkpoint_bytes": ("B of the checkpoint", "budget"),
    "ledger_bytes": ("B at the peak", "ledger"),
    "peak_bytes": ("B at the peak", "prediction"),
    "seconds": ("seconds a step", "prediction"),
    "mfu": ("MFU", "flops"),
}


def run(
    package: str,
    folder: Path,
    predictions: Path,
    console: Console,
    minutes: float,
    sizes: Sizes = TRAIN,
) -> None:
    """Trains, and shows what happens. Ctrl-C ends it; the next run starts anew.

    `folder` gets the tokens, the checkpoint and the curve; `predictions` is the file of
    `make predict`, which may be missing. All steps together take `minutes`.

    Raises:
        UserError: a function of the student's failed, the process that trains ended, or the file of
            predictions is not as it was written.
    """
    say = teller(console)
    folder.mkdir(parents=True, exist_ok=True)
    try:
        peak, bandwidth, bf16 = _speeds()
        say(
            f"A transformer of {sizes.layers} layers of width {sizes.d_model} learns to write "
            f"Python byte by byte, from {sizes.batch} × {sizes.context} bytes of the standard "
            f"library in each step. This CPU does {si(peak)}FLOP/s in "
            f"{'bf16' if bf16 else 'float32'} and {si(bandwidth)}B/s, measured here."
        )
        committed = next((r for r in read_records(predictions) if r.sizes == asdict(sizes)), None)
        accountant = Accountant(package, peak)
        predicted = committed.predicted if committed else None
        counts = accountant.count(sizes, bf16, bandwidth, predicted)
        for problem in accountant.problems:
            say(problem)
        log = Log(console, accountant, counts)
        job = Job(package, folder, sizes, bf16, 60 * minutes)
        job, measured, text = _train_until_kill(job, log, say)
        if job.resume:
            text = _resume(job, log, say)
            measured["checkpoint_bytes"] = job.checkpoint.stat().st_size
        measured["seconds"] = statistics.median(log.seconds)
        measured["mfu"] = accountant.mfu(log.flops, measured["seconds"])
        console.print()
        console.print(_table(counts, measured))
        console.print()
        if committed:
            say(f"You committed the lines of `prediction` on {committed.time}.")
        else:
            how = "make predict SIZES=" if is_under_make() else f"{command('predict')} "
            say(f"{how}train commits a prediction, which the next training shows here.")
        _show_curve(console, log.losses, job)
        console.print("\nThe model writes:\n")
        for line in text.splitlines():
            shown = "".join(c if c.isprintable() else "·" for c in line)
            console.print(Text(f"    {shown[:76].rstrip()}"))
    except KeyboardInterrupt:
        console.print(f"\nStopped. {command('train')} starts anew.")


def _train_until_kill(job: Job, log: Log, say: Say) -> tuple[Job, dict[str, float], str]:
    """Returns the job for the process that resumes, what was measured, and "".

    If there is no checkpoint, it trains to the end, and returns the text that the model wrote last.
    """
    with _process(job) as messages:
        _, (stubs, steps, measured) = next(messages)
        job = replace(job, stubs=stubs, steps=steps)
        if stubs:
            names = ", ".join(sorted(name.partition(".")[2] for name in stubs))
            say(f"Not written yet, so torch's take their place, or none: {names}.")
        if stubs & trainer.CHECKPOINT:
            say("Without a checkpoint the training is not killed.")
        say(f"{steps:,} steps follow. Ctrl-C stops them.")
        log.begin(job, measured["flops"])
        for kind, value in messages:
            if kind == "wrote":
                return job, measured, value
            if kind == "saved":
                job = replace(job, resume=value)
            else:
                log.add(*value)
            if job.resume and len(log.losses) >= job.resume + _REPEATED:
                break
    log.end_line()
    say(f"Killed by SIGKILL at step {len(log.losses)}. A new process resumes at {job.resume}:")
    return job, measured, ""


def _resume(job: Job, log: Log, say: Say) -> str:
    """Trains from the checkpoint to the end; returns the text that the model wrote."""
    lost, known = log.losses[job.resume :], len(log.losses)
    del log.losses[job.resume :]
    with _process(job) as messages:
        for kind, value in messages:
            if kind == "wrote":
                log.end_line()
                return str(value)
            if kind == "loaded" and value != str(job.resume):
                say(f"load_checkpoint returned {value}, but {job.resume} steps were saved.")
            if kind == "trained":
                log.add(*value)
                if len(log.losses) - len(value[0]) < known <= len(log.losses):
                    log.end_line()
                    say(compared(job.resume, lost, log.losses[job.resume :]))
    raise AssertionError("the messages end with an exception")


def compared(step: int, lost: Sequence[float], again: Sequence[float]) -> str:
    """Says whether the losses of the steps after `step` are the same again."""
    for number, (before, now) in enumerate(zip(lost, again, strict=False)):
        if repr(before) != repr(now):  # a nan is not equal to itself
            what = "Parameters or random state are" if number == 0 else "The optimizer's state is"
            return (
                f"NOT bit for bit: the loss of step {step + number + 1} was {before!r} and is now "
                f"{now!r}. {what} not as saved: {command('test', 'checkpoint_roundtrip')}"
            )
    return f"Bit for bit: the losses of these {len(lost)} steps are the same as before the kill."


@contextmanager
def _process(job: Job) -> Iterator[Iterator[Message]]:
    """Starts a process that trains; yields an iterator over its messages; kills it at the end."""
    context: Any = multiprocessing.get_context(START)
    ours, theirs = context.Pipe()
    process = context.Process(target=trainer.main, args=(job, theirs), daemon=True)
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for this process alone
    process.start()
    signal.signal(signal.SIGINT, before)
    theirs.close()

    def messages() -> Iterator[Message]:
        while True:
            try:
                kind, value = ours.recv()
            except (EOFError, OSError):
                process.join()
                status = process.exitcode
                raise UserError(f"the process that trains ended, with status {status}") from None
            if kind == "failed":
                raise UserError(value)
            yield kind, value

    try:
        yield messages()
    finally:
        process.kill()  # SIGKILL: it cannot save anything now
        process.join()


def _speeds() -> tuple[float, float, bool]:
    """FLOP/s and B/s of this CPU, and whether training is to use bf16."""

    def peak(dtype: torch.dtype, n: int) -> float:
        x = torch.randn(n, n).to(dtype)
        return 2 * n**3 / timed(lambda: x @ x, torch.device("cpu"), repeats=9, statistic=min)

    roofs = measured_roofs(torch.device("cpu"))
    bf16 = peak(torch.bfloat16, 512) > _BF16_AT * peak(_F32, 512)
    return (peak(torch.bfloat16, 1024) if bf16 else roofs.flops), roofs.bandwidth, bf16


class Accountant:
    """Counts with the student's functions; `problems` has a line for each that fails."""

    def __init__(self, package: str, peak: float) -> None:
        self.problems: list[str] = []
        self._journal, self._folder = Journal(), problems.folder_of(package)
        self._student = self._journal.noting(Package(package))
        self._peak = peak

    def count(
        self, sizes: Sizes, bf16: bool, bandwidth: float, committed: Mapping[str, float] | None
    ) -> dict[str, float | None]:
        """The counts of `_ROWS`; None where a function fails. `committed` is used as prediction."""
        student = self._student
        shape = {k: v for k, v in asdict(sizes).items() if k not in ("context", "tied")}
        shape["seq_len"] = sizes.context
        dtype = torch.bfloat16 if bf16 else _F32

        def modules() -> Any:
            settings = {"dtype": dtype, "dropout": False, "attention": "math"}
            settings |= {"checkpointed": False, "context": sizes.context}
            return student.ledger.model_modules(**shape, **settings)

        def state() -> Any:
            return student.budget.training_state(count_parameters(sizes), _RECIPE)

        def step() -> Any:
            device = {"peak_flops": self._peak, "bandwidth": bandwidth}
            return committed or student.prediction.predict_step(**asdict(sizes), **device)

        questions: dict[str, Callable[[], Any]] = {
            "parameters": lambda: sum(n for n, _, _ in modules()),
            "flops": lambda: (
                3 * student.flops.transformer_forward_flops(**shape, gated=False)["total"]
            ),
            "parameter_bytes": lambda: state()["parameters"],
            "gradient_bytes": lambda: state()["gradients"],
            "optimizer_bytes": lambda: state()["optimizer"],
            "checkpoint_bytes": lambda: state()["parameters"] + state()["optimizer"],
            "ledger_bytes": lambda: student.ledger.peak_memory(modules(), _RECIPE)[1],
            "peak_bytes": lambda: step()["peak_bytes"],
            "seconds": lambda: step()["seconds"],
        }
        counts = {key: self._ask(key, question) for key, question in questions.items()}
        flops, seconds = counts["flops"], counts["seconds"]
        return {**counts, "mfu": self.mfu(flops, seconds) if flops and seconds else None}

    def mfu(self, flops: float, seconds: float) -> float:
        """The MFU by the student's function; computed here if that fails."""
        found = self._ask("mfu", lambda: self._student.flops.mfu(flops, seconds, self._peak))
        return flops / seconds / self._peak if found is None else found

    def _ask(self, key: str, question: Callable[[], Any]) -> float | None:
        """The answer for a row; None, and a new problem, if it raises or is no finite number."""
        try:
            answer = question()
            if not isinstance(answer, int | float) or not math.isfinite(answer):
                raise TypeError(f"{show(answer)} is no number")
        except (Exception, SystemExit) as error:
            what = problems.describe(error, self._folder, "does not count", self._journal)
            line = f"{_ROWS[key][1]}: {what}"
            if line not in self.problems:
                self.problems.append(line)
            return None
        return answer


class Log:
    """The losses of all steps so far. Prints a line for each tenth of them, and a live one."""

    def __init__(
        self, console: Console, accountant: Accountant, counts: Mapping[str, float | None]
    ) -> None:
        self.losses: list[float] = []
        self.seconds: list[float] = []  # of a step, for each `add`
        self.flops = 0.0
        self._console, self._accountant, self._counts = console, accountant, counts
        self._is_line_open = False  # whether the last line is to be overwritten

    def begin(self, job: Job, measured_flops: float) -> None:
        """Prints headings and predictions; the measured FLOPs are used if none are counted."""
        self.flops = self._counts["flops"] or measured_flops
        self._bytes, self._tenth = job.sizes.batch * job.sizes.context, max(1, job.steps // 10)
        self._console.print(f"\n{'step':>12}{'loss':>9}{'text B/s':>11}{'MFU':>9}")
        if seconds := self._counts["seconds"]:
            self._console.print(f"{'predicted':>12}{'':>9}{self._speed(seconds)}")

    def add(self, losses: list[float], seconds: float) -> None:
        """Adds the losses of some steps, which took so many seconds together."""
        before = len(self.losses)
        self.losses += losses
        self.seconds.append(seconds / len(losses))
        self._is_line_open = before // self._tenth == len(self.losses) // self._tenth
        if self._console.is_terminal or not self._is_line_open:
            line = f"{len(self.losses):>12,}{statistics.fmean(losses):>9.3f}"
            line += self._speed(self.seconds[-1])
            self._console.print(line, end="\r" if self._is_line_open else "\n")

    def end_line(self) -> None:
        """Keeps the live line: what follows goes below it."""
        if self._is_line_open and self._console.is_terminal:
            self._console.print()
        self._is_line_open = False

    def _speed(self, seconds: float) -> str:
        mfu = self._accountant.mfu(self.flops, seconds)
        return f"{self._bytes / seconds:>11,.0f}{mfu:>9.1%}"


def _table(counts: Mapping[str, float | None], measured: dict[str, float]) -> Table:
    measured["ledger_bytes"] = measured["peak_bytes"]  # two chapters count the same
    table = Table("", box=None, pad_edge=False)
    for heading in ("counted", "measured", "error"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("chapter")
    for key, (label, chapter) in _ROWS.items():
        digits = ".3g" if key in ("seconds", "mfu") else ",.0f"
        count, found = counts[key], measured.get(key)
        shown = [f"{n:{digits}}" if n is not None else "–" for n in (count, found)]
        error = difference(count, found) if count is not None and found is not None else "–"
        table.add_row(label, *shown, error, chapter)
    return table


def _show_curve(console: Console, losses: Sequence[float], job: Job) -> None:
    """Draws the loss into `loss.svg` of the job's folder, and prints where that is."""
    if importlib.util.find_spec("matplotlib") is None:
        console.print("The curve of the loss needs matplotlib.")
        return
    from assignment import figures
    from assignment.figures import look

    width = max(1, len(losses) // 50)
    means = [statistics.fmean(losses[max(0, i - width) : i + 1]) for i in range(len(losses))]

    def draw() -> Any:
        figure, axes = look.canvas(2.8)
        steps = range(1, len(losses) + 1)
        axes.plot(steps, losses, color=look.LINE, linewidth=0.5)
        axes.plot(steps, means, color=look.BLUE)
        if job.resume:
            axes.axvline(job.resume, color=look.RED, linewidth=0.8, linestyle=(0, (4, 2)))
            axes.annotate(" resumed", (job.resume, max(losses)), color=look.shade(look.RED))
        axes.set(xlabel="step", ylabel="loss, nats a byte")
        return figure

    picture = job.folder / "loss.svg"
    picture.write_bytes(figures.render(draw))
    is_below = picture.is_relative_to(Path.cwd())
    console.print(f"The loss: {picture.relative_to(Path.cwd()) if is_below else picture}")
