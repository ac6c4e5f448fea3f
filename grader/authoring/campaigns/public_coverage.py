"""Do public tests teach what hidden tests grade? `grader author public-coverage`.

A file of `solutions/wrong` fails a hidden test, as `grader author verify` shows. Here it runs with
the public tests of its exercise, in process: of the mistakes that cost marks, how many does a
student see? Mistakes that are new, in other folders, run with the hidden tests first.

A mistake that no public test sees is listed in `solutions/grader_only.toml`, with the rule that it
breaks. Students read these rules: they are `grader_only` of their exercise in `assignment.toml`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from assignment.manifest import Manifest
from grader.authoring import variants
from grader.authoring.campaigns import try_mistakes
from grader.authoring.campaigns.inprocess import Assignment, CampaignError
from grader.authoring.campaigns.try_mistakes import Screened
from grader.authoring.variants import Wrong

GRADER_ONLY = variants.SOLUTIONS / "grader_only.toml"  # quotes mistakes, so it is secret
IN_ALL, IN_EACH = 0.8, 0.6  # shares of the mistakes that a public test must see


@dataclass(frozen=True)
class Share:
    """The numbers of mistakes of one exercise."""

    exercise: str
    caught: int  # by a hidden test
    seen: int  # of those, by a public test too

    @property
    def fraction(self) -> float:
        """From 0 to 1; 1 without mistakes."""
        return self.seen / self.caught if self.caught else 1.0


@dataclass
class Report:
    """The result of a campaign."""

    screened: list[Screened]
    stale: list[str] = field(default_factory=list)  # lines about wrong or missing entries

    @property
    def missed(self) -> list[Screened]:
        """The mistakes that fail a hidden test and no public one."""
        return [one for one in self.screened if one.hidden and not one.public]

    @property
    def total(self) -> Share:
        """All exercises together."""
        caught = sum(bool(one.hidden) for one in self.screened)
        return Share("all", caught, caught - len(self.missed))

    def shares(self, manifest: Manifest) -> Iterator[Share]:
        """The share of each exercise that has mistakes, in the manifest's order."""
        caught = Counter(one.wrong.exercise.id for one in self.screened if one.hidden)
        missed = Counter(one.wrong.exercise.id for one in self.missed)
        for exercise in manifest:
            if number := caught[exercise.id]:
                yield Share(exercise.id, number, number - missed[exercise.id])

    def too_low(self, manifest: Manifest) -> list[Share]:
        """The shares below what is required."""
        low = [share for share in self.shares(manifest) if share.fraction < IN_EACH]
        return low + ([self.total] if self.total.fraction < IN_ALL else [])


class Entry(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A mistake that no public test sees, by its file's name, and the rule that it breaks."""

    file: str
    rule: str


class _List(msgspec.Struct, forbid_unknown_fields=True):
    mistake: list[Entry] = []


def load_grader_only(path: Path) -> dict[str, str]:
    """The rule that each listed file breaks, by the file's name without suffix.

    Raises:
        CampaignError: the list cannot be read, or names a file twice.
    """
    try:
        entries = msgspec.toml.decode(path.read_bytes(), type=_List).mistake
    except (OSError, msgspec.DecodeError) as error:
        raise CampaignError(f"{path.name}: {error}") from error
    twice = [file for file, number in Counter(e.file for e in entries).items() if number > 1]
    if twice:
        raise CampaignError(f"{path.name}: {twice[0]} is listed twice; keep one entry")
    return {entry.file: entry.rule for entry in entries}


def contradictions(
    manifest: Manifest, wrong: Sequence[Wrong], listed: Mapping[str, str]
) -> list[str]:
    """Lines about entries and rules that do not match; empty if all do.

    Each entry names a file, and a rule of that file's exercise. Each rule has an entry, unless its
    exercise needs a device: a rule that only a race checks has no wrong file.
    """
    exercises = {one.path.stem: one.exercise for one in wrong if not one.public}
    found = [f"{file} is no mistake of a hidden test" for file in listed if file not in exercises]
    found += [
        f"{file}: {rule!r} is no rule of {exercises[file].id}; add it to grader_only there"
        for file, rule in listed.items()
        if file in exercises and rule not in manifest[exercises[file].id].grader_only
    ]
    used = {(exercises[file].id, rule) for file, rule in listed.items() if file in exercises}
    found += [
        f"{exercise.id}: no mistake breaks {rule!r}, which is in grader_only; public tests see all"
        for exercise in manifest
        for rule in exercise.grader_only
        if (exercise.id, rule) not in used and not exercise.needs
    ]
    return found


def run(
    assignment: Assignment,
    folders: Sequence[Path] = (),
    exercises: Sequence[str] = (),
    *,
    listed: Path | None = None,
    nonce: str,
    jobs: int | None = None,
) -> Report:
    """Runs mistakes with the public tests of their exercises.

    Args:
        folders: folders of new mistakes. Without any, those of `solutions/wrong` run, and each
            counts as caught by a hidden test.
        exercises: of `solutions/wrong`, only mistakes of these exercises; all if empty.
        listed: the file of entries that the mistakes of `solutions/wrong` must match.

    Raises:
        CampaignError: a file names no exercise, there is none, or the list cannot be read.
        GraderFault: the tests cannot be collected.
    """
    if folders:  # a new mistake is on no list
        return Report(list(try_mistakes.run(assignment, folders, nonce=nonce, jobs=jobs)))
    known = variants.all_wrong(assignment.manifest, assignment.wrong, hidden=True)
    wrong = {one.path.stem: one for one in known if not exercises or one.exercise.id in exercises}
    if not wrong:
        raise CampaignError(f"no mistake of {', '.join(exercises)} in {assignment.wrong}")
    entries = {} if listed is None else load_grader_only(listed)
    failed = try_mistakes.failed_tests(assignment, wrong, "public", nonce, jobs)
    caught = ("by `grader author verify`",)  # in the place of the hidden tests that fail
    report = Report([Screened(wrong[name], caught, public) for name, public in failed])
    if listed is not None:
        missed = {one.wrong.path.stem for one in report.missed}
        seen = wrong.keys() - missed
        report.stale += contradictions(assignment.manifest, known, entries)
        report.stale += [f"{file} fails a public test" for file in entries if file in seen]
        report.stale += [f"{file} is not listed" for file in sorted(missed - entries.keys())]
    return report
