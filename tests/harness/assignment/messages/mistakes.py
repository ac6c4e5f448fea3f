"""Typical mistakes of students, and the message that each one gets.

A file of this folder holds the mistakes of one chapter:

    #### exercise: what is wrong
    the wrong code, which is added to the module with the exercise's solution
    ---- the public test that fails first
    what a student reads of it, whole

`python -m tests.harness.assignment.messages.mistakes` runs all of them, in the handout as it was
built last, and writes the messages anew; read the difference. A new mistake needs no line `----`.
"""

import json
import math
import re
import shutil
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from assignment import manifest
from tests.harness import warm
from tests.harness.assignment.students import REFERENCE, copy_handout, environment, set_limit

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Mistake:
    exercise: str
    what: str
    code: str
    test: str = ""
    message: str = ""

    @property
    def name(self):
        return f"{self.exercise}: {self.what}"


def read(path):
    """The mistakes in a file."""
    for part in re.split(r"^#### ", path.read_text(encoding="utf-8"), flags=re.M)[1:]:
        head, _, rest = part.partition("\n")
        exercise, _, what = head.partition(": ")
        code, _, shown = rest.partition("\n---- ")
        test, _, message = shown.partition("\n")
        yield Mistake(exercise, what, code.strip("\n"), test, message.strip("\n"))


def write(path, mistakes):
    """Writes a file of mistakes."""
    path.write_text(
        "\n\n".join(f"#### {m.name}\n{m.code}\n---- {m.test}\n{m.message}" for m in mistakes)
        + "\n",
        encoding="utf-8",
    )


def files():
    return sorted(HERE.glob("*.txt"))


def run(mistakes, place):
    """Each mistake with the test that fails first and the message of it.

    Args:
        mistakes: where one names a test, only that test is run.
        place: an empty folder.
    """
    copy_handout(place / "handout")
    set_limit(place / "handout", seconds=1.5)  # as in `test_deadline.py`
    return [_with_message(mistake, place, place / str(n)) for n, mistake in enumerate(mistakes)]


def _with_message(mistake, place, folder):
    """Runs the public tests in a student's folder with the mistake in it."""
    exercise = manifest.load()[mistake.exercise]
    package = folder / "resource_accounting"
    shutil.copytree(REFERENCE, package, ignore=shutil.ignore_patterns("__pycache__"))
    with (package / f"{exercise.modules[0]}.py").open("a", encoding="utf-8") as module:
        module.write(f"\n\n{mistake.code}\n")
    test = f"tests/test_{exercise.chapter}.py"
    (folder / "tests").mkdir()
    shutil.copy(place / "handout" / test, folder / test)
    shutil.copy(place / "handout" / "pyproject.toml", folder)
    chosen = f"{test}::{mistake.test}" if mistake.test else test
    command = ("-m", "pytest", chosen, "--ex", mistake.exercise)
    env = environment(PYTHONPATH=str(place / "handout"))
    output = warm.run(*command, cwd=folder, env=env).stdout
    found = re.search(r"^✗ .*?(?=^✗ |^Progress ─|^[\w]+: .* ─|\Z)", output, re.M | re.S)
    if found is None:
        return replace(mistake, message="passes:\n" + output)
    failed = json.loads((folder / ".pytest_cache/v/cache/lastfailed").read_bytes())
    first = next(iter(failed)).partition("::")[2]
    message = "\n".join(line.rstrip() for line in found[0].strip("\n").splitlines())
    message = re.sub(r"(\.py):\d+", r"\1:N", message)  # tests and solutions get other lines
    message = re.sub(r"… \d+ times", "… N times", message)  # as deep as the stack allows
    message = with_digits_of(mistake.message, message)
    return replace(mistake, test=mistake.test or first, message=message)


def with_digits_of(recorded, message):
    """The message; a float of it that is nearly the recorded one has the recorded digits.

    A processor decides about the last digits of what is computed.
    """
    fraction = r"-?\d+\.\d+(?:e[-+]\d+)?"
    numbers = iter(re.findall(fraction, recorded))

    def digits(found):
        number = next(numbers, "nan")
        return number if math.isclose(float(number), float(found[0]), rel_tol=1e-6) else found[0]

    return re.sub(fraction, digits, message)


def main():
    by_file = {path: list(read(path)) for path in files()}
    with tempfile.TemporaryDirectory() as place:
        found = iter(run([m for mistakes in by_file.values() for m in mistakes], Path(place)))
        for path, mistakes in by_file.items():
            write(path, [next(found) for _ in mistakes])


if __name__ == "__main__":
    main()
