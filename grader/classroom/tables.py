"""CSV files: what staff and platforms write, and what is written for them."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from grader.results.text import printable


def read(path: Path, failure: type[Exception]) -> list[list[str]]:
    """The cells of each line; raises `failure` for a file that cannot be read."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            return list(csv.reader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise failure(f"{path} cannot be read: {error}") from error


def to_csv(columns: Sequence[str], lines: Iterable[Mapping[str, object]]) -> bytes:
    """A file in which no cell is a formula, which a student might hide in the name of a file."""
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, restval="", lineterminator="\n")
    writer.writeheader()
    for line in lines:
        writer.writerow({key: _harmless(value) for key, value in line.items()})
    return text.getvalue().encode("utf-8")


def _harmless(value: object) -> object:
    if not isinstance(value, str):
        return value
    # A spreadsheet may split cells at other characters than commas.
    return re.sub(r"(^|[;|\t,])([\s\"']*)([=+\-@])", r"\1\2'\3", printable(value))
