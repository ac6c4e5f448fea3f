"""What a campaign will try: mutants, and for each the exercises whose tests may notice it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from assignment import manifest as manifests
from assignment.manifest import Manifest
from grader.authoring.mutation import equivalents
from grader.authoring.mutation.equivalents import Entry, Equivalents
from grader.authoring.mutation.mutants import Mutant, mutants_of, sampled
from grader.authoring.mutation.reach import Reach
from grader.authoring.variants import SOLUTIONS
from grader.judge import markers
from grader.paths import REPOSITORY

EQUIVALENTS = SOLUTIONS / "equivalent_mutants.toml"  # it quotes the reference: as secret as it
_NONCES = 3  # a survivor must survive the tests with this many draws of inputs


class PlanError(Exception):
    """A module or an exercise does not exist; the message lists those that do."""


@dataclass(frozen=True)
class Assignment:
    """Where the reference, its tests and the reviewed equivalents are."""

    reference: Path = SOLUTIONS  # the folder that holds the package
    repository: Path = REPOSITORY
    manifest: Manifest = field(default_factory=manifests.load)
    equivalents: Path = EQUIVALENTS


def own_assignment() -> Assignment:
    """This repository's assignment; raises ManifestError if manifest and tests do not match."""
    return Assignment(manifest=markers.load(REPOSITORY / "tests"))


@dataclass(frozen=True)
class Plan:
    """The mutants to try."""

    texts: dict[str, str]  # of the requested modules
    chosen: tuple[Mutant, ...]
    reach: Reach
    listed: Equivalents
    unmatched: tuple[Entry, ...]  # of `listed`: they match no mutant
    nonces: tuple[str, ...]

    def exercises(self, mutant: Mutant) -> tuple[str, ...]:
        """The exercises whose tests are tried on a mutant, the most likely to notice it first."""
        return self.reach.exercises(mutant.module, mutant.scope)

    def chosen_in(self, module: str) -> list[Mutant]:
        """The chosen mutants of a module."""
        return [mutant for mutant in self.chosen if mutant.module == module]


def make(
    assignment: Assignment,
    modules: Sequence[str] = (),
    *,
    exercises: Sequence[str] = (),
    sample: int | None = None,
    seed: int = 0,
) -> Plan:
    """Makes the mutants of some modules (default: all) and chooses among them.

    Args:
        exercises: choose only mutants of these exercises' functions and of their helpers.
        sample: how many mutants to draw; all if None.
        seed: what the sample and the tests' inputs are drawn from.

    Raises:
        PlanError: no such module or exercise.
        EquivalentsError: the list of equivalents is invalid.
    """
    texts = {
        path.stem: path.read_text(encoding="utf-8")
        for path in sorted((assignment.reference / assignment.manifest.package).glob("*.py"))
        if path.stem != "__init__"
    }
    if unknown := [module for module in modules if module not in texts]:
        known = ", ".join(texts)
        raise PlanError(f"no module is called {', '.join(unknown)}; the modules are: {known}")
    reach = Reach(texts, assignment.manifest)
    try:
        wanted = [assignment.manifest[exercise] for exercise in exercises]
    except manifests.ManifestError as error:
        raise PlanError(str(error)) from error
    owned = {name for exercise in wanted for name in reach.owned(exercise)}
    named = list(modules) or sorted({module for module, _ in owned}) or list(texts)
    requested = {module: text for module, text in texts.items() if module in named}
    candidates = [m for module, text in requested.items() for m in mutants_of(module, text)]
    chosen = [m for m in candidates if not wanted or (m.module, m.scope) in owned]
    if sample is not None:
        chosen = sampled(chosen, sample, seed)
    listed = equivalents.load(assignment.equivalents)
    return Plan(
        texts=requested,
        chosen=tuple(chosen),
        reach=reach,
        listed=listed,
        unmatched=tuple(listed.unmatched(candidates, named)),
        nonces=tuple(f"mutation {seed} {i}" for i in range(_NONCES)),
    )
