"""What leaves the machine: the reports of students, and the marks for a platform; nothing else.

Hidden tests of a run may show in what it publishes. So nothing of a run is published before its
end, and its nonce is never used again: what a student learns of it then opens nothing.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

from grader.classroom.folder import end_run
from grader.classroom.marks import Row
from grader.results.gradescope import to_gradescope
from grader.results.html import to_html
from grader.results.write import write_atomically


class NotReady(Exception):
    """Something is not graded yet, so nothing may leave."""


def publish(rows: Sequence[Row], marks: Path, target: Path) -> None:
    """Writes `ID/report.html` and `ID/results.json` for each mark that is not held, and marks.csv.

    Raises:
        NotReady: a submission has no grade through no fault of its own; nothing is written.
    """
    if open_ones := [row.student.id for row in rows if row.status in ("fault", "waiting")]:
        raise NotReady(
            f"not graded, so nothing is published: {', '.join(open_ones)}; run the command again"
        )
    end_run(marks)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("id", "points"))
    for row in rows:
        if row.is_held or row.final is None:
            continue
        writer.writerow((row.student.id, row.final))
        if row.grade is not None:
            place = target / row.student.id
            place.mkdir(parents=True, exist_ok=True)
            write_atomically(place / "report.html", to_html(row.grade).encode(), 0o644)
            write_atomically(place / "results.json", to_gradescope(row.grade), 0o644)
    target.mkdir(parents=True, exist_ok=True)
    write_atomically(target / "marks.csv", text.getvalue().encode(), 0o644)
