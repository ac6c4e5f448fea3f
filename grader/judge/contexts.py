"""The context in which tests run on a submission: its workers, a nonce, and limits."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

import msgspec

from assignment.hooks import seed_of
from grader.judge.calls import KeptCalls
from grader.judge.effort import Effort
from grader.judge.implementation import GradedImplementation
from grader.judge.outcome import GradedTest
from grader.judge.plugin import TestContext
from grader.judge.pool import WorkerPool
from grader.results.record import Visibility

_KEPT = 20  # calls of a public test, of which its message shows one


def sandboxed(pool: WorkerPool, nonce: str, counted: Visibility | None = None) -> TestContext:
    """The context of tests whose `impl` runs in workers of this pool.

    Each test has workers of its own; those of one exercise that carry no points share one.

    Args:
        pool: starts workers.
        nonce: seeds them.
        counted: which tests carry points; all if None.
    """
    implementation = functools.partial(_implementation, pool, nonce, counted)
    return TestContext(nonce, pool.zygote.shared_folders, implementation)


@contextmanager
def _implementation(
    pool: WorkerPool, nonce: str, counted: Visibility | None, test: GradedTest
) -> Iterator[GradedImplementation]:
    """The `impl` of one test: limited by the pool's budget, charged to it, and ended afterwards."""
    seconds = pool.budget.limit(test.group, test.limits.seconds)
    limits = msgspec.structs.replace(test.limits, seconds=seconds)
    group = "" if counted in (None, test.visibility) else test.group
    seed = seed_of(nonce, "worker", test.id)
    implementation = GradedImplementation(pool, limits, seed, group)
    if test.visibility == "public":
        implementation.calls = KeptCalls(_KEPT)
    effort = Effort()
    try:
        with nullcontext() if test.on_device else effort.bounded():
            yield implementation
    finally:
        implementation.close()
        charged = implementation.charged + effort.charged
        pool.budget.charge(test.group, charged, test.limits.seconds)
