"""Valid answers of extreme shape, to every hidden test: the campaign `answers`.

    python -m tests.fuzz.answers --answers 50000 [EXERCISE …]

Each run of a test replaces one answer of the reference, or one value in it, by a random one that
the protocol lets pass. A test may fail of it, as of any wrong answer, but it may neither take more
than 128 MiB beyond the answer (the tests of the reference take up to 50) nor 2 s of the judge's
CPU. And what comes of it is never a fault of the grader.
"""

from __future__ import annotations

import argparse
import functools
import random
import resource
import secrets
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import torch

from assignment import manifest as manifests
from assignment.calls.callbacks import StandInIterator
from assignment.calls.implementation import READERS
from grader.authoring.campaigns.inprocess import Batch, Imported, collected_in_process
from grader.authoring.variants import SOLUTIONS
from grader.causes import Cause
from grader.faults import SubmissionFailure
from grader.intake.bounded import address_space
from grader.paths import REPOSITORY
from grader.supervisor.left_files import PARSE_NOTHING
from grader.wire import frames

MEMORY, SECONDS = 128 * 2**20, 2.0
CHEAP = 0.01  # seconds: a test that takes longer runs in fewer rounds
FINDINGS = {Cause.GRADER_FAULT, Cause.TOO_LARGE, Cause.TIMEOUT, Cause.DIED}
TOO_LONG = "the judge took too long"


def nested(depth: int) -> list[Any]:
    return functools.reduce(lambda inner, _: [inner], range(depth), [])


def _mostly_first(r: random.Random, *sizes: Any) -> Any:
    """One of some sizes, the smallest first: large answers take most of a campaign's time."""
    return r.choices(sizes, [4.0**-i for i in range(len(sizes))])[0]


# Sizes are such that a frame holds one of them beside the rest of an answer.
EXTREME: tuple[Callable[[random.Random], Any], ...] = (
    lambda _: None,
    lambda r: r.choice([True, 0, -1, 1.5, float("nan"), float("-inf"), "", b"", (), [], {}]),
    lambda r: r.choice(list(frames.TORCH_NAMES)),
    lambda r: r.choice([1, -1]) * 2 ** r.choice([62, 63, 64, 1000, 4000]),
    lambda r: nested(r.choice([1, 8, 20])),
    lambda r: "x" * _mostly_first(r, 10**3, 10**6, 3 * 10**7),
    lambda r: bytes(_mostly_first(r, 10**3, 10**6, 3 * 10**7)),
    lambda r: {"x" * r.choice([10**3, 10**7]): 1},
    lambda r: dict.fromkeys(range(_mostly_first(r, 100, 100_000))),
    lambda r: r.choice([list, tuple])([0, 1.0, None, "x"] * _mostly_first(r, 250, 100_000)),
    lambda r: [torch.zeros(1)] * _mostly_first(r, 10, 10_000),
    lambda r: torch.zeros(r.choice([(0, 2**18), (2**18, 0), (0,), (), (1,) * 60])),
    lambda r: torch.zeros(_mostly_first(r, (2**9, 2**9), (2**12, 2**12))),
    lambda r: torch.zeros(
        _mostly_first(r, 2**20, 2**25), dtype=r.choice([torch.uint8, torch.bool])
    ),
    lambda r: torch.full((_mostly_first(r, 1, 100, 2**22),), r.choice([float("nan"), 0.0, 1e30])),
    lambda r: torch.zeros(2**20, dtype=r.choice(list(frames.TENSOR_DTYPES.values()))),
    lambda r: np.zeros(_mostly_first(r, 0, 1, 2**23), dtype=r.choice(list(frames.NUMPY_DTYPES))),
)


def replaced(value: Any, rng: random.Random) -> Any:
    """A value with a part of it replaced: all of it, or in a container mostly something inside."""
    if isinstance(value, list | tuple | dict) and value and rng.random() < 0.7:
        keys = list(value) if isinstance(value, dict) else list(range(len(value)))
        chosen = rng.choice(keys)
        items = [replaced(value[key], rng) if key == chosen else value[key] for key in keys]
        return (
            dict(zip(keys, items, strict=True)) if isinstance(value, dict) else type(value)(items)
        )
    return rng.choice(EXTREME)(rng)


class Extreme(Imported):
    """The package, one of whose answers is replaced."""

    def __init__(self, package: str, submission: Path, seconds: float, seed: int) -> None:
        super().__init__(package, submission, seconds, seed)
        self._rng = random.Random(seed)
        self._wait = int(self._rng.expovariate(0.4))  # answers before the one that is replaced
        self._limit = resource.RLIM_INFINITY  # of memory, since the replacement
        signal.signal(signal.SIGVTALRM, _end)

    def call(self, target: str, /, *args: Any, **kwargs: Any) -> Any:
        with self._of_a_worker():
            found = super().call(target, *args, **kwargs)
        ours = target.removeprefix(f"{READERS}.") in PARSE_NOTHING  # the judge itself reads
        return found if ours else self._answer(found)

    def iterate(self, target: str, /, *args: Any, **kwargs: Any) -> Iterator[Any]:
        items = super().iterate(target, *args, **kwargs)

        def next_item() -> Any:
            with self._of_a_worker():
                return self._answer(next(items))

        return StandInIterator(next_item)

    def _answer(self, answer: Any) -> Any:
        self._wait -= 1
        if self._wait != -1:
            return answer
        answer = replaced(answer, self._rng)
        body = b"".join(frames.encode(1, answer)[1:])
        del answer
        if len(body) > frames.DEFAULT_CAPS.size:
            raise SubmissionFailure(Cause.WRONG_ANSWER, "larger than a frame")
        answer = frames.decode(memoryview(bytearray(body)))[0]
        del body
        self._limit = address_space() + MEMORY
        return answer

    @contextmanager
    def _of_a_worker(self) -> Iterator[None]:
        """What runs here would run in another process, without the judge's limits."""
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        usual = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, usual[1]))
        try:
            yield
        finally:
            if self._limit != resource.RLIM_INFINITY:
                signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
            resource.setrlimit(resource.RLIMIT_AS, (self._limit, usual[1]))


def _end(*_: object) -> NoReturn:
    raise SubmissionFailure(Cause.TIMEOUT, TOO_LONG)


def main() -> None:
    assert __doc__ is not None
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--answers", type=int, default=50_000)
    parser.add_argument("--nonce", default="", help="repeats one round")
    parser.add_argument("exercises", nargs="*", help="all by default")
    options = parser.parse_args()
    found = fuzz(options.answers, options.exercises, options.nonce)
    sys.exit(1 if found else 0)


def fuzz(answers: int, only: list[str], nonce: str = "") -> int:
    """Runs the campaign, prints what it finds; returns how much that is."""
    found = 0
    manifest = manifests.load().for_any_machine
    with collected_in_process(manifest, REPOSITORY, only) as tests:
        tests.impl_class = Extreme
        names = [test.name for test in tests.tests]
        runs, seconds = Counter[str](), Counter[str]()
        seen, done, shown = set(), 0, 0

        def batches() -> Iterator[Batch]:
            while not done or (done < answers and not nonce):
                due = [n for n in names if random.random() * seconds[n] <= CHEAP * runs[n]]
                yield Batch("the reference", SOLUTIONS, nonce or secrets.token_hex(8), tuple(due))

        for batch, outcomes in tests.run(batches(), jobs=1 if nonce else None):
            done += len(outcomes)
            for check in (outcome.check for outcome in outcomes):
                runs[check.test] += 1
                seconds[check.test] += check.seconds
                of_worker = check.cause is Cause.TIMEOUT and TOO_LONG not in (check.detail or "")
                if check.cause in FINDINGS and not of_worker:
                    found += 1
                    if check.test not in seen:
                        seen.add(check.test)
                        print(f"{check.test}: {check.cause}, --nonce {batch.nonce}", flush=True)
                        print(f"  {(check.detail or '')[-600:]}", flush=True)
            if done - shown >= 20_000:
                shown = done
                print(f"{done} answers, {found} findings in {len(seen)} tests", flush=True)
        print(f"{done} answers, {found} findings in {len(seen)} tests", flush=True)
    return found


if __name__ == "__main__":
    main()
