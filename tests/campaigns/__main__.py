"""Campaigns: what takes too long for every change. `make test` has a short version of most.

    python -m tests.campaigns [NAME [OPTION …]]

Without a name it lists them. Options are the campaign's own; `--help` shows most of them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

# One test of a campaign may run every attack in a container.
PYTEST = ("-m", "pytest", "-n", "auto", "-m", "", "-o", "faulthandler_timeout=3600")
GATES = ("-m", "tests.campaigns.gates")
AUTHOR = ("-m", "grader", "author")
HARNESS = "tests/harness"
HOSTILE = ("hostile", "pack", "races", "sandbox", "worker")
FAULTS = ("judge/test_faults.py", "judge/test_faults_in_calls.py", "test_signals.py")


class Campaign(NamedTuple):
    """A long run: what it does, how long that takes on two cores, and Python's arguments."""

    what: str
    takes: str
    command: tuple[str, ...] = ()  # by default the author's command of the same name
    variables: Mapping[str, str] = MappingProxyType({})


CAMPAIGNS = {
    "load": Campaign(
        "make test again and again: --runs 20; --busy 4 beside busy processes, --slow 3 as if the "
        "processor were slow, --stops on a machine that stops for seconds",
        "5 min a run",
        (*GATES, "load"),
    ),
    "matrix": Campaign(
        "make test in six environments: processors, threads, Pythons; --pythons 3.11 3.13 --",
        "40 min",
        (*GATES, "matrix"),
    ),
    "attack": Campaign(
        "every hostile submission in every tier; with FRESH=1 each test has workers of its own",
        "30 min",
        (*PYTEST, *(f"{HARNESS}/{folder}" for folder in HOSTILE)),
        {"ALL_ATTACKS": "1"},
    ),
    "layers": Campaign(
        "every attack again, each time with one layer of isolation off",
        "90 min",
        ("-m", "tests.harness.hostile.switch_off"),
    ),
    "faults": Campaign(
        "kills the grader's processes at random points of gradings, FAULTS=20 each",
        "20 min",
        (*PYTEST, *(f"{HARNESS}/{file}" for file in FAULTS)),
        {"FAULTS": os.environ.get("FAULTS", "20")},
    ),
    "endurance": Campaign(
        "--gradings 1000 by one judge: are all marks right, is nothing left behind?",
        "15 min",
        ("-m", "tests.campaigns.endurance"),
    ),
    "classes": Campaign(
        "classes of --submissions 200, graded by a command that is killed, in parts and on Dask: "
        "has each student one mark, the right one?",
        "30 min",
        ("-m", "tests.campaigns.classes"),
    ),
    "hangs": Campaign(
        "code that hangs in every function: does each grading end in time, with the same states?",
        "45 min",
        ("-m", "tests.campaigns.hangs"),
    ),
    "memory": Campaign(
        "what tests that judge memory read of the reference, and of each mistake",
        "hours",
        ("-m", "tests.campaigns.memory"),
    ),
    "frames": Campaign(
        "--frames 10000000, malformed, to the judge's protocol decoder",
        "30 min",
        ("-m", "tests.fuzz.wire"),
    ),
    "answers": Campaign(
        "--answers 50000 of extreme shape, but valid, to the hidden tests",
        "30 min",
        ("-m", "tests.fuzz.answers"),
    ),
    "mutate": Campaign(
        "small changes of the reference, all or --sample 20 of them: do hidden tests notice?",
        "12 min",
    ),
    "flakes": Campaign(
        "hidden tests on every correct solution with random inputs: do all pass?",
        "30 min",
    ),
    "stable-marks": Campaign(
        "every wrong submission with ten draws of inputs: are the marks the same?",
        "30 min",
    ),
    "public-coverage": Campaign(
        "of the wrong submissions, how many fail a public test too?",
        "5 min",
    ),
    "coverage": Campaign(
        "do hidden tests execute every line and branch of the reference?",
        "2 min",
        ("-m", "tests.campaigns.coverage"),
    ),
    "races": Campaign(
        "how exact races are on this CPU, for programs of known ratio",
        "20 min",
        ("-m", "tests.benchmarks.races"),
    ),
    "gpu": Campaign(
        "what a CUDA device shows; --device cpu rehearses it",
        "8 min",
        ("-m", "tests.benchmarks.gpu"),
    ),
}


def main(arguments: list[str]) -> None:
    """Runs the campaign that is named first, in this process; without a name lists them all."""
    if not arguments:
        table = Table("NAME", "takes", "what", box=None, pad_edge=False)
        for name, campaign in CAMPAIGNS.items():
            table.add_row(name, campaign.takes, campaign.what)
        Console().print(table, 'make campaign NAME=… ARGS="options"', sep="\n", highlight=False)
        return
    name, *options = arguments
    if name not in CAMPAIGNS:
        sys.exit(f"no campaign is called {name}; there are {', '.join(CAMPAIGNS)}")
    campaign = CAMPAIGNS[name]
    command = [sys.executable, *(campaign.command or (*AUTHOR, name)), *options]
    os.execve(sys.executable, command, {**os.environ, **campaign.variables})


if __name__ == "__main__":
    main(sys.argv[1:])
