"""Runs a plan: tries every chosen mutant, in a pool of processes with one judge each."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import Future, as_completed
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from grader.authoring.mutation.plan import Assignment, Plan
from grader.authoring.mutation.verdicts import Baseline, Killers, Trial, Verdict
from grader.classroom import engine
from grader.classroom.engine import Engine
from grader.judge.grader import Grader

_BATCH_SIZE = 16  # mutants in one pytest session


@dataclass
class Outcome:
    """The result of a campaign."""

    plan: Plan
    verdicts: list[Verdict] = field(default_factory=list)  # in the plan's order
    problems: list[str] = field(default_factory=list)  # modules whose tests the reference fails
    faults: list[str] = field(default_factory=list)  # of the grader

    @property
    def by_module(self) -> dict[str, list[Verdict]]:
        """The verdicts of each requested module."""
        found = {module: list[Verdict]() for module in self.plan.texts}
        for verdict in self.verdicts:
            found[verdict.mutant.module].append(verdict)
        return found

    @property
    def share(self) -> float:
        """Killed mutants / all mutants; those on the list of equivalents count as not killed."""
        return share(self.verdicts)

    @property
    def survivors(self) -> list[Verdict]:
        """Mutants that no hidden test noticed, and that are not listed as such."""
        left = [v for v in self.verdicts if v.status in ("public", "survived", "untested")]
        return [verdict for verdict in left if not self.is_listed(verdict)]

    @property
    def flaky(self) -> list[Verdict]:
        """Mutants that were noticed with some nonces but not with all."""
        return [v for v in self.verdicts if v.killed and not all(v.noticed)]

    @property
    def stale(self) -> list[str]:
        """Entries of the list of equivalents that match no mutant, or a mutant that was killed."""
        killed = [v for v in self.verdicts if v.killed and self.plan.listed.entry(v.mutant)]
        return [f"{entry} matches no mutant" for entry in self.plan.unmatched] + [
            f"{v.mutant.module}.{v.mutant.function}: {v.mutant.original!r} → {v.mutant.mutated!r} "
            f"is killed, by {v.killer}"
            for v in killed
        ]

    def is_listed(self, verdict: Verdict) -> bool:
        """Whether a mutant survives as its entry in the list of equivalents says."""
        entry = self.plan.listed.entry(verdict.mutant)
        if entry is None or verdict.killed:
            return False
        return entry.public == (verdict.status == "public")


def share(verdicts: Collection[Verdict]) -> float:
    """The share of mutants that were killed; 1 if there are none."""
    return sum(v.killed for v in verdicts) / len(verdicts) if verdicts else 1.0


def run(
    assignment: Assignment,
    plan: Plan,
    jobs: int | None = None,
    on_verdict: Callable[[Verdict], None] = lambda _: None,
) -> Outcome:
    """Tries every chosen mutant in `jobs` processes (None: one for each core)."""
    outcome = Outcome(plan)
    with engine.started(partial(_grader, assignment), jobs) as graders:
        for verdict in _verdicts(graders, assignment, outcome):
            outcome.verdicts.append(verdict)
            if verdict.status == "fault":
                name = f"{verdict.mutant.module}.py:{verdict.mutant.line}"
                outcome.faults.append(f"{name}: {verdict.killer} {verdict.detail}")
            on_verdict(verdict)
    order = {mutant.id: i for i, mutant in enumerate(plan.chosen)}
    outcome.verdicts.sort(key=lambda verdict: order[verdict.mutant.id])
    return outcome


def _verdicts(graders: Engine, assignment: Assignment, outcome: Outcome) -> Iterator[Verdict]:
    """Runs each module's baseline, then its mutants in batches."""
    plan, reference = outcome.plan, assignment.reference
    baselines: dict[Future[Baseline], str] = {}
    for module in plan.texts:
        if mutants := plan.chosen_in(module):
            exercises = dict.fromkeys(e for m in mutants for e in plan.exercises(m))
            work = graders.submit(_baseline, reference, tuple(exercises), plan.nonces[0])
            baselines[work] = module
    batches: dict[Future[list[Verdict]], list[Trial]] = {}
    for done in as_completed(baselines):
        module = baselines[done]
        try:
            base = done.result()
        except Exception as error:
            outcome.faults.append(f"{module}: its tests could not be run: {error}")
            continue
        if base.problems:
            failed = "\n".join(base.problems)
            outcome.problems.append(f"{module}: the reference itself does not pass:\n{failed}")
            continue
        trials: list[Trial] = []
        for mutant in plan.chosen_in(module):
            if base.exercises.intersection(plan.exercises(mutant)):
                trials.append(Trial(mutant, plan.exercises(mutant)))
            else:
                yield Verdict(mutant, "untested")
        for i in range(0, len(trials), _BATCH_SIZE):
            batch = trials[i : i + _BATCH_SIZE]
            batches[graders.submit(_try, reference, batch, base, plan.nonces)] = batch
    for finished in as_completed(batches):
        try:
            yield from finished.result()
        except Exception as error:
            for trial in batches[finished]:
                yield Verdict(trial.mutant, "fault", detail=f"could not be tried: {error!r}")


# --- in a process of the engine ------------------------------------------------------------------

_killers = Killers()


def _grader(assignment: Assignment) -> Grader:
    manifest = assignment.manifest.for_any_machine
    return Grader(lanes=1, repository=assignment.repository, manifest=manifest)


def _baseline(grader: Grader, reference: Path, exercises: Sequence[str], nonce: str) -> Baseline:
    from grader.authoring.mutation import trials  # loads torch and pytest: after the judge

    return trials.baseline(grader, reference, exercises, nonce)


def _try(
    grader: Grader, reference: Path, batch: Sequence[Trial], base: Baseline, nonces: Sequence[str]
) -> list[Verdict]:
    from grader.authoring.mutation import trials

    return trials.run(grader, reference, batch, base, nonces, _killers)
