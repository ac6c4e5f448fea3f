"""Screens submissions that other people wrote: are mistakes caught, is right code accepted?

Each file of a folder has the form of `solutions/wrong`: its first line names the exercise. It runs
in process, without the sandbox, against the tests of that exercise. What passes all hidden ones
there is graded: some mistakes show only in a process of their own.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from assignment import manifest as manifests
from grader.authoring.campaigns import inprocess
from grader.authoring.campaigns.inprocess import Assignment, Batch, CampaignError
from grader.authoring.variants import Wrong, WrongError, read_wrong
from grader.faults import GraderFault
from grader.judge.grader import Grader


@dataclass(frozen=True)
class Screened:
    """A submission, and the tests of its exercise that it fails."""

    wrong: Wrong
    hidden: tuple[str, ...]
    public: tuple[str, ...]

    @property
    def failed(self) -> tuple[str, ...]:
        return self.hidden + self.public

    @property
    def is_caught(self) -> bool:
        """Whether a hidden test fails, or a public one if the file is marked `(public)`."""
        return bool(self.hidden or (self.wrong.public and self.public))


def run(
    assignment: Assignment,
    folders: Sequence[Path],
    *,
    nonce: str,
    jobs: int | None = None,
) -> Iterator[Screened]:
    """Runs every file of some folders with the hidden and the public tests of its exercise.

    Raises:
        CampaignError: a file does not name an exercise with hidden tests, or there is none.
        GraderFault: the tests cannot be collected.
    """
    try:
        wrong = {
            str(path): read_wrong(path, assignment.manifest)
            for folder in folders
            for path in sorted(folder.glob("*.py"))
        }
    except WrongError as error:
        raise CampaignError(str(error)) from error
    if not wrong:
        raise CampaignError(f"no submission in {', '.join(map(str, folders))}")
    hidden = dict(failed_tests(assignment, wrong, "hidden", nonce, jobs))
    unnoticed = {label: wrong[label] for label, failed in hidden.items() if not failed}
    hidden |= _failed_in_sandbox(unnoticed, nonce)
    for label, public in failed_tests(assignment, wrong, "public", nonce, jobs):
        yield Screened(wrong[label], hidden[label], public)


def _failed_in_sandbox(wrong: dict[str, Wrong], nonce: str) -> dict[str, tuple[str, ...]]:
    """The hidden tests that each fails in the sandbox, of submissions that pass all in process."""
    found = {}
    with Grader(lanes=1, manifest=manifests.load().for_any_machine) as grader:
        for label, one in wrong.items():
            with tempfile.TemporaryDirectory(prefix="screen-") as place:
                folder = one.write(Path(place) / "submission")
                grade = grader.grade(folder, only=[one.exercise.id], tests="hidden", nonce=nonce)
            if grade.faults:
                raise GraderFault(grade.faults[0])
            found[label] = tuple(c.test for c in grade.checks if c.state != "passed")
    return found


def failed_tests(
    assignment: Assignment, wrong: dict[str, Wrong], folder: str, nonce: str, jobs: int | None
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each submission's label with the tests of a folder that it fails, as the runs end."""
    with (
        inprocess.collected_in_process(
            assignment.manifest, assignment.repository, folders=(folder,)
        ) as tests,
        tempfile.TemporaryDirectory(prefix="screen-") as place,
    ):

        def batches() -> Iterator[Batch]:
            for number, (label, one) in enumerate(wrong.items()):
                chosen = tuple(t.name for t in tests.tests if t.exercise.id == one.exercise.id)
                written = one.write(Path(place) / str(number), assignment.reference)
                yield Batch(label, written, nonce, chosen)

        for batch, outcomes in tests.run(batches(), jobs):
            checks = [outcome.check for outcome in outcomes]
            shutil.rmtree(batch.submission)
            yield batch.label, tuple(c.test for c in checks if c.state != "passed")
