"""Measures what the hidden tests that judge memory read, of right code and of mistakes.

    python -m tests.campaigns.memory --gradings 100 checkpointed_forward train_loop

Grades the reference, and each wrong submission of these exercises. A line for each test and
submission has the number of gradings, how many refused it, and each reading after the first: the
least, the median and the most MiB since the first one, and since the one before.
"""

import argparse
import tempfile
from collections import defaultdict
from pathlib import Path
from statistics import median

from assignment import manifest
from grader.authoring import variants
from grader.judge.grader import Grader
from grader.judge.implementation import GradedImplementation
from grader.supervisor import zygote


def main() -> None:
    """Runs the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("exercises", nargs="+")
    parser.add_argument("--gradings", type=int, default=100, help="of each submission")
    parser.add_argument("--capability", help="of torch's kernels in workers, such as avx2")
    parser.add_argument("--reference", action="store_true", help="leave the mistakes out")
    options = parser.parse_args()
    if options.capability:
        zygote._ENVIRONMENT["ATEN_CPU_CAPABILITY"] = options.capability
    read, readings = GradedImplementation.peak_rss, list[int]()

    def noted(self: GradedImplementation) -> int:
        readings.append(read(self))
        return readings[-1]

    GradedImplementation.peak_rss = noted  # type: ignore[method-assign]
    wrong = [w for w in variants.all_wrong(manifest.load()) if w.exercise.id in options.exercises]
    with Grader(lanes=1) as grader, tempfile.TemporaryDirectory() as place:
        grader.prepare()
        submissions = [variants.SOLUTIONS]
        if not options.reference:
            submissions += [w.write(Path(place) / w.path.stem) for w in wrong]
        for folder in submissions:
            found = defaultdict[str, list[tuple[str, list[int]]]](list)
            for _ in range(options.gradings):
                grader.grade(
                    folder,
                    tests="hidden",
                    only=options.exercises,
                    on_check=lambda check, found=found: (
                        found[check.test].append((check.state, readings.copy())),
                        readings.clear(),
                    ),
                )
            for test, runs in found.items():
                _print(f"{test} {folder.name}", runs)


def _print(what: str, runs: list[tuple[str, list[int]]]) -> None:
    """Prints the line of a test that has read memory twice."""
    refused = sum(state == "failed" for state, _ in runs)
    columns = []
    for i in range(1, max(len(peaks) for _, peaks in runs)):
        for since in {0, i - 1}:
            grown = sorted((p[i] - p[since]) / 2**20 for _, p in runs if len(p) > i)
            columns.append(f"{grown[0]:.1f}/{median(grown):.1f}/{grown[-1]:.1f}")
    if columns:
        print(f"{what}: {refused} of {len(runs)} refused; {'  '.join(columns)}", flush=True)


if __name__ == "__main__":
    main()
