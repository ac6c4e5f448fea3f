"""A grader that runs nothing: what a submission's `flops.py` says decides what becomes of it."""

import multiprocessing
import os
import signal
import threading
import time
from pathlib import Path

from assignment import manifest
from grader.faults import GraderFault
from grader.judge.provenance import content_hash, tree_hash
from grader.results.record import Isolation, Provenance
from tests.harness.results.example_grade import exercise
from tests.harness.results.example_grade import grade as a_grade

EXERCISES = manifest.load()


class FakeGrader:
    """Notes each grading in a file of `log`; the text of `flops.py` is the score, or a mishap."""

    def __init__(self, log: Path) -> None:
        self.manifest, self.log = EXERCISES, log

    def __exit__(self, *_):
        pass

    def grade(self, submission, *, only, nonce, on_check, timing, further_seeds):
        text = submission.files["flops.py"].decode()
        with (self.log / submission.name).open("a") as file:
            file.write("graded\n")
        if text == "kills":
            os.kill(os.getpid(), signal.SIGKILL)
        if text == "hangs":
            threading.Event().wait()
        if text == "fault":
            raise GraderFault("the machine is on fire")
        on_check(None)
        points, _, seconds = text.partition(" after ")
        time.sleep(float(seconds or 0))
        points = float(points)
        return a_grade(
            submission=submission.name,
            score=points,
            max_score=10.0,
            nonce=nonce,
            exercises=(exercise("matmul_flops", points, 10.0),),
            isolation=Isolation(tier="A", probes={}),
            provenance=provenance(content_hash(submission, EXERCISES.package)),
        )


def provenance(submission, **fields):
    found = {"handout": "1", "grader": "1", "tree": tree_hash(), "python": "3", "torch": "2"}
    found |= {"cpu": "", "kernel": "", "tier": "A", "lanes": 1, "cpu_seconds": 1.5}
    return Provenance(submission=submission, **(found | fields))


def hand_in(folder: Path, **texts: str) -> Path:
    """Writes a submission for each student."""
    for student, text in texts.items():
        package = folder / student / EXERCISES.package
        package.mkdir(parents=True, exist_ok=True)
        (package / "flops.py").write_text(text)
    return folder


def start(_tiers, lanes):
    """In place of `Grader` in the command."""
    assert lanes == 1
    return FakeGrader(Path(os.environ["FAKE_LOG"]))


if __name__ == "__main__":  # the command `grader`, of which no process grades
    from grader import cli
    from grader.classroom import cli as commands
    from grader.classroom import engine
    from tests.harness.classroom import fakes

    commands.Grader = fakes.start
    context = multiprocessing.get_context("fork")  # no process imports anew what it needs
    engine.multiprocessing.get_context = lambda _: context
    cli.main()
