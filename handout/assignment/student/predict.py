"""`make predict`: commits your prediction of a training step to a file, then runs the step.

The order is the point: your function answers first, its answer is written down with the time and a
hash, and only then anything is built or measured.
"""

from __future__ import annotations

import hashlib
import json
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import torch
from rich.console import Console
from rich.table import Table

from assignment.calls.text import show
from assignment.material.small_transformer import GPT2, SMALL, Sizes
from assignment.material.step_counts import FULL, PART, Run, count_step
from assignment.student.bench import measured_roofs, si, timed
from assignment.student.verbs import UserError, command

Numbers = Mapping[str, float]
TRAIN = Sizes(  # the step of `make train`
    vocab=256, context=64, layers=4, d_model=128, heads=4, d_ff=512, tied=True, batch=8
)
NAMED = {"small": SMALL, "gpt2": GPT2, "train": TRAIN}
LABELS = {"parameters": "parameters", "flops": "FLOPs", "peak_bytes": "peak bytes"}
_MOST_BYTES, _MOST_FLOPS, _MOST_LAYERS = 2e9, 1e12, 500  # of a step that runs here


@dataclass(frozen=True)
class Record:
    """A committed prediction: a line of the file."""

    time: str
    sizes: dict[str, Any]
    device: dict[str, float]
    predicted: dict[str, float]
    after: str  # hash of the line before it

    @property
    def sha256(self) -> str:
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()


def parse(words: Sequence[str]) -> Sizes:
    """Sizes from words such as `gpt2 layers=6 tied=no`; a name replaces all that stands before it.

    Raises UserError for other words, and for sizes that cannot be built.
    """
    sizes = SMALL
    known = ", ".join(field.name for field in fields(Sizes))
    for word in words:
        name, equals, value = word.partition("=")
        if not equals and name in NAMED:
            sizes = NAMED[name]
        elif name == "tied" and value in ("yes", "no"):
            sizes = replace(sizes, tied=value == "yes")
        elif name in asdict(sizes) and name != "tied" and re.fullmatch("[0-9]{1,18}", value):
            sizes = Sizes(**{**asdict(sizes), name: int(value)})
        else:
            raise UserError(
                f"{word!r} is no size; write {', '.join(NAMED)}, then sizes such as layers=6 or "
                f"tied=no. The sizes are {known}"
            )
    if min(value for name, value in asdict(sizes).items() if name != "tied") < 1:
        raise UserError("every size is at least 1")
    if sizes.d_model % sizes.heads:
        raise UserError(f"{sizes.heads} heads do not divide d_model={sizes.d_model}")
    if sizes.layers > _MOST_LAYERS:
        raise UserError(f"at most {_MOST_LAYERS} layers are built here")
    return sizes


def ask_student(student: Any, sizes: Sizes, device: Numbers) -> dict[str, float]:
    """The student's prediction; raises UserError if it cannot be used."""
    test = command("test", "predict_step")
    try:
        found = student.prediction.predict_step(**asdict(sizes), **device)
    except NotImplementedError as error:
        raise UserError(
            "predict_step is not written yet, so there is nothing to compare. Read "
            f"assignment/writeup/prediction.md, then try {test}"
        ) from error
    except Exception as error:
        raise UserError(
            f"predict_step raised {type(error).__name__}: {error}. {test} shows where"
        ) from error
    for name in (*LABELS, "seconds"):
        value = found.get(name) if isinstance(found, dict) else None
        if not isinstance(value, int | float) or not abs(value) < 1e300:
            raise UserError(f"predict_step gave no number for {name!r}: {show(found)}. Try {test}")
    return {name: found[name] for name in (*LABELS, "seconds")}


def commit(
    file: Path, sizes: Sizes, device: Numbers, predicted: Numbers
) -> tuple[Record, Record | None]:
    """Adds a prediction to the file; returns it, and the first one for these sizes if it is older.

    Raises:
        UserError: the file cannot be read or written, or a line is not as it was written.
    """
    try:
        earlier = list(read_records(file))
        now = f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC"
        after = earlier[-1].sha256 if earlier else ""
        record = Record(now, asdict(sizes), dict(device), dict(predicted), after)
        with file.open("a", encoding="utf-8", newline="\n") as lines:
            lines.write(json.dumps({**asdict(record), "sha256": record.sha256}) + "\n")
    except OSError as error:
        raise UserError(f"{file} cannot be used: {error}") from error
    return record, next((old for old in earlier if old.sizes == record.sizes), None)


def read_records(file: Path) -> Iterator[Record]:
    """The records of a file, none if it is missing; raises UserError at a line that was changed."""
    after = ""
    text = file.read_text(encoding="utf-8", errors="replace") if file.exists() else ""
    for number, line in enumerate(text.splitlines(), 1):
        try:
            entry = json.loads(line)
            written = entry.pop("sha256")
            record = Record(**entry)
        except (ValueError, TypeError, KeyError, AttributeError):
            written, record = "", None
        if record is None or record.sha256 != written or record.after != after:
            raise UserError(
                f"{file.name}, line {number}, is not as it was written. Predictions stay as they "
                "were made; remove the file to begin again"
            )
        after = written
        yield record


def measure(sizes: Sizes) -> dict[str, float]:
    """What the step needs: run on the CPU, or counted without "seconds" if it is too large."""
    counts = count_step(sizes)
    measured: dict[str, float] = {}
    if counts.peak_bytes <= _MOST_BYTES and counts.flops <= _MOST_FLOPS:
        counts, step = count_step(sizes, "cpu"), Run(sizes, "cpu").step
        measured["seconds"] = timed(step, torch.device("cpu"), warm_ups=1, repeats=3)
    return {**{name: getattr(counts, name) for name in LABELS}, **measured}


def marks(name: str, predicted: float, measured: float) -> str:
    """The marks that a prediction with this error earns: "full", "part" or "none"."""
    error = abs(predicted - measured) / measured
    if error <= FULL[name]:
        return "full"
    return "part" if error <= PART.get(name, 0.0) else "none"


def table(predicted: Numbers, first: Numbers | None, measured: Numbers) -> Table:
    """Predicted and measured values side by side, with the first prediction unless it is None."""
    shown = Table(box=None, pad_edge=False)
    shown.add_column("", no_wrap=True)
    predictions = {"predicted": predicted} if first is None else {"first": first, "now": predicted}
    for heading in (*predictions, "measured", "error", "marks"):
        shown.add_column(heading, justify="right", no_wrap=True)
    for name, label in {**LABELS, "seconds": "seconds"}.items():
        row = [_number(name, values[name]) for values in predictions.values()]
        if name in measured:
            row += [_number(name, measured[name]), difference(predicted[name], measured[name])]
        else:
            row += ["–", "–"]
        row.append(marks(name, predicted[name], measured[name]) if name in LABELS else "never")
        shown.add_row(label, *row)
    return shown


def _number(name: str, value: float) -> str:
    return f"{value:.3g}" if name == "seconds" else f"{value:,.0f}"


def difference(predicted: float, measured: float) -> str:
    """The error of a prediction, in percent of what was measured."""
    if predicted == measured:
        return "exact"
    error = 100 * (predicted / measured - 1)
    return f"{error:+.2g} %" if abs(error) < 10 else f"{error:+.0f} %"


def run(student: Any, words: Sequence[str], console: Console, file: Path) -> None:
    """Gets the student's prediction, commits it, measures the step and compares them.

    Raises:
        UserError: the sizes, the student's answer or the file cannot be used.
    """
    sizes = parse(words)
    ask_student(student, sizes, {"peak_flops": 1e12, "bandwidth": 1e11})  # fails before it measures
    roofs = measured_roofs(torch.device("cpu"))
    device = {"peak_flops": roofs.flops, "bandwidth": roofs.bandwidth}
    say = teller(console)
    say("A training step of " + " ".join(f"{k}={v}" for k, v in asdict(sizes).items()))
    say(f"on this CPU: {si(roofs.flops)}FLOP/s and {si(roofs.bandwidth)}B/s, measured here.")
    predicted = ask_student(student, sizes, device)
    record, first = commit(file, sizes, device, predicted)
    say(f"Written to {file.name}: {record.time}, sha256 {record.sha256[:12]}.")
    say("Now the step runs …")
    measured = measure(sizes)
    if "seconds" not in measured:
        say(
            f"It is too large to run here ({measured['peak_bytes'] / 1e9:.1f} GB and "
            f"{si(measured['flops'])}FLOPs), so it was counted on torch's meta device."
        )
    changed = first is not None and any(first.predicted[name] != predicted[name] for name in LABELS)
    console.print(table(predicted, first.predicted if first and changed else None, measured))
    if first is not None and changed:
        say(f"Your first prediction for these sizes is of {first.time}. What did it miss?")
    say("Your marks come from the hidden tests, which ask for other sizes.")


def teller(console: Console) -> Callable[[str], None]:
    """A function that prints a paragraph."""
    width = min(console.width, 80)
    return lambda text: console.print(textwrap.fill(text, width), markup=False)
