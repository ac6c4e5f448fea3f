"""Submissions to verify with: correct ones, the reference with a mistake in it, answers by rote."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from assignment.manifest import Exercise, Manifest
from grader.paths import REPOSITORY

SOLUTIONS = REPOSITORY / "solutions"
REFERENCE = SOLUTIONS / "resource_accounting"
WRONG = SOLUTIONS / "wrong"
# Correct solutions that are written differently: no test may hold it against them.
_ALTERNATIVES = ("by_loops", "another_order")


# What code that knows nothing may do: none of it may pass a hidden test.
ROTE = {
    "returns None": "return None",
    "returns 0": "return 0",
    "returns 1": "return 1",
    "returns 1.0": "return 1.0",
    "returns True": "return True",
    "returns False": "return False",
    "returns ()": "return ()",
    "returns its first argument": "return args[0] if args else None",
    "raises ValueError": "raise ValueError('no')",
    "raises TypeError": "raise TypeError('no')",
    "raises IndexError": "raise IndexError('no')",
    "raises RuntimeError": "raise RuntimeError('no')",
    # With a text that is made, or it would be told to be a stub and no test would run.
    "raises NotImplementedError": "raise NotImplementedError(str(len(args)))",
}


class WrongError(Exception):
    """A file of `solutions/wrong` that cannot be used; the message says what to do."""


@dataclass(frozen=True)
class Wrong:
    """A plausible wrong submission: a fragment that redefines what it breaks.

    The file's first line is a docstring, `exercise_id: what is wrong`. Its text is appended to the
    reference's module, where later definitions win.
    """

    path: Path
    exercise: Exercise
    mistake: str

    @property
    def module(self) -> str:
        return self.exercise.modules[0]

    def concerns(self, manifest: Manifest) -> list[str]:
        """The exercise it names and all that build on it (`depends_on`), in the manifest's order.

        Only these may lose points by the mistake.
        """
        found = [self.exercise.id]
        for exercise in manifest:  # what is built upon comes first
            if exercise.id not in found and set(found) & set(exercise.depends_on):
                found.append(exercise.id)
        return found

    def write(self, folder: Path, reference: Path = REFERENCE) -> Path:
        """Writes the whole submission into `folder`; returns the folder to submit."""
        package = copy_reference(folder, reference)
        module = package / f"{self.module}.py"
        text = module.read_text(encoding="utf-8")
        module.write_text(f"{text}\n\n{self.path.read_text(encoding='utf-8')}", encoding="utf-8")
        return folder


def read_wrong(path: Path, manifest: Manifest) -> Wrong:
    """Reads a wrong submission's first line; raises WrongError if it names no exercise."""
    first = path.read_text(encoding="utf-8").partition("\n")[0]
    name, colon, mistake = first.strip().strip('"').partition(":")
    known = {exercise.id: exercise for exercise in manifest}
    if not first.startswith('"""') or not colon or name not in known:
        raise WrongError(
            f'{path.name}: the first line must be """exercise_id: what is wrong""", got {first!r}'
        )
    return Wrong(path, known[name], mistake.strip())


def all_wrong(manifest: Manifest, folder: Path = WRONG) -> list[Wrong]:
    """Every wrong submission, by name."""
    return [read_wrong(path, manifest) for path in sorted(folder.glob("*.py"))]


def alternatives() -> list[Path]:
    """The folders of correct solutions that are written differently from the reference."""
    return [REPOSITORY / "tests" / "harness" / "submissions" / name for name in _ALTERNATIVES]


def copy_reference(folder: Path, reference: Path = REFERENCE) -> Path:
    """Copies the reference's package into `folder`; returns the package's folder."""
    package = folder / reference.name
    shutil.copytree(reference, package, ignore=shutil.ignore_patterns("__pycache__"))
    return package


def write_rote(folder: Path, manifest: Manifest, body: str) -> Path:
    """Writes a submission in which every function has the same body; returns its folder."""
    package = folder / manifest.package
    package.mkdir(parents=True)
    for module in manifest.modules:
        names = manifest.functions_of(module)
        text = "\n\n".join(f"def {name}(*args, **kwargs):\n    {body}" for name in names)
        (package / f"{module}.py").write_text(text + "\n", encoding="utf-8")
    return folder
