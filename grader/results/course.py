"""What a course sets for Gradescope: a limit a day, the best score, lateness, what is shown.

`run_autograder` calls this if its pack has settings: `refuse` before the grading, `finish` after
it. Submissions are those in Gradescope's submission_metadata.json.
"""

from __future__ import annotations

import sys
from datetime import datetime, timedelta
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec.structs import replace

from grader.results.gradescope import Shown, to_gradescope
from grader.results.lateness import Deadlines
from grader.results.record import from_json
from grader.results.text import points
from grader.results.write import write_atomically

_DAY = timedelta(days=1)
_Time = Annotated[datetime, msgspec.Meta(tz=True)]


class Settings(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True
):
    """The options of `grader pack gradescope` that a pack carries."""

    limit_per_day: int | None = None
    keep_best: bool = False
    late: Deadlines | None = None
    visibility: Shown = "visible"
    leaderboard: bool = False


class _Dates(msgspec.Struct, frozen=True):
    due_date: _Time | None = None


class _User(msgspec.Struct, frozen=True):
    assignment: _Dates | None = None  # the student's own, with an extension


class _Previous(msgspec.Struct, frozen=True):
    submission_time: _Time
    score: float | None = None
    autograder_error: Any = None
    results: dict[str, Any] | None = None  # of the latest submission alone


class Metadata(msgspec.Struct, frozen=True):
    """What is used of submission_metadata.json."""

    created_at: _Time
    assignment: _Dates = _Dates()
    users: tuple[_User, ...] = ()
    previous_submissions: tuple[_Previous, ...] = ()

    @property
    def scored(self) -> list[tuple[datetime, float]]:
        """(time, score) of each earlier submission that has a score, in order of time.

        A fault of the grader gives none: its results.json has neither a score nor tests.
        """
        return sorted(
            (one.submission_time, one.score)
            for one in self.previous_submissions
            if one.submission_time < self.created_at
            and one.score is not None
            and not one.autograder_error
            and (one.results is None or {"score", "tests"} & one.results.keys())
        )

    @property
    def due(self) -> datetime | None:
        """The due date, with the longest extension of a group's members."""
        dates = [user.assignment.due_date for user in self.users if user.assignment]
        return max(filter(None, dates), default=self.assignment.due_date)


def refused_until(limit: int | None, metadata: Metadata) -> datetime | None:
    """When the limit allows a grading again; None if it allows this one.

    Refused submissions keep a score, and Gradescope gives the results of the latest alone. So which
    earlier ones were refused is found by applying the limit to each of them, in order. For a day
    after a limit is raised, those that the lower one refused count as graded.
    """
    graded: list[datetime] = []
    for when in (*(when for when, _ in metadata.scored), metadata.created_at):
        if limit is None or len(graded) < limit or graded[-limit] <= when - _DAY:
            graded.append(when)
        elif when == metadata.created_at:
            return graded[-limit] + _DAY
    return None


def refusal(settings: Settings, metadata: Metadata) -> dict[str, Any] | None:
    """results.json of a submission beyond the limit a day; None if this one is to be graded."""
    until = refused_until(settings.limit_per_day, metadata)
    if until is None:
        return None
    scores = [score for _, score in metadata.scored]
    return {
        "score": max(scores) if settings.keep_best else scores[-1],
        "output": f"Not graded: the limit is {settings.limit_per_day} in 24 hours. The next "
        "submission can be graded from "
        f"{until + timedelta(minutes=1):%Y-%m-%d %H:%M (%Z)}. You keep the score that you had.",
        "output_format": "text",
        "stdout_visibility": "hidden",
        "extra_data": {"refused": True},
        "tests": _not_graded(settings),
    }


def _not_graded(settings: Settings) -> list[dict[str, Any]]:
    """The tests of what was not graded: one, since a hidden test hides the score."""
    return [{"name": "Nothing was graded", "visibility": settings.visibility}]


def shown_score(
    settings: Settings, metadata: Metadata, score: float, max_score: float
) -> tuple[float, str]:
    """The score to show, after lateness or as the best so far, and sentences that explain it."""
    said = []
    if settings.late is not None:
        late = replace(settings.late, due=metadata.due or settings.late.due)
        days = late.days_late("", metadata.created_at)
        if penalty := late.penalty(days):
            score = round(score * (1 - penalty), 2)
            said.append(f"{late.in_words(days)}.")
    if settings.keep_best and metadata.scored:
        when, best = max(metadata.scored, key=lambda one: one[1])  # the first of equal ones
        if settings.visibility == "visible":
            said.append(
                f"Your best is {points(best)} of {points(max_score)}, of your submission of "
                f"{when:%Y-%m-%d %H:%M}; this one has {points(score)}."
                if best > score
                else "This is your best submission so far."
            )
        score = max(score, best)
    return score, " ".join(said)


def finish(settings: Settings, metadata: Metadata | None, folder: Path) -> bytes:
    """results.json as the course sets it, from what a grading left in the folder.

    Without metadata the score is the grade's. If no package was found, there is no grade.json.
    """
    if (folder / "grade.json").exists():
        grade = from_json((folder / "grade.json").read_bytes())
        score, note = grade.score, ""
        if metadata is not None and score is not None:
            score, note = shown_score(settings, metadata, score, grade.max_score)
        return to_gradescope(
            grade, note, score, visibility=settings.visibility, leaderboard=settings.leaderboard
        )
    results = msgspec.json.decode((folder / "results.json").read_bytes())
    if metadata is not None and settings.keep_best:
        results["score"] = max([0, *(score for _, score in metadata.scored)])
        results["output"] += "\n\nYour best score stays."
    return msgspec.json.encode(results | {"tests": _not_graded(settings)})


def main(step: str, settings_file: str, metadata_file: str, folder: str) -> int:
    """Writes results.json into the folder; 1 if nothing is refused, so that there is none to write.

    Metadata that cannot be read refuses nothing and changes no score; a line says so to staff.
    """
    settings = msgspec.json.decode(Path(settings_file).read_bytes(), type=Settings)
    metadata = None
    try:
        data = Path(metadata_file).read_bytes()
        metadata = msgspec.json.decode(data, type=Metadata, strict=False)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
        print(f"{step}: no limit, best score or lateness: {metadata_file} cannot be read: {error}")
    if step == "finish":
        results = finish(settings, metadata, Path(folder))
    elif metadata is not None and (refused := refusal(settings, metadata)):
        results = msgspec.json.encode(refused)
    else:
        return 1
    write_atomically(Path(folder) / "results.json", results)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
