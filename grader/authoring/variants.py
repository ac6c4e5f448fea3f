"""Submissions for `grader author verify`: correct ones, wrong ones, and ones with rote answers."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from assignment.manifest import Exercise, Manifest, ManifestError
from assignment.student.definitions import replace_definition
from grader.paths import REPOSITORY

SOLUTIONS = REPOSITORY / "solutions"
REFERENCE = SOLUTIONS / "resource_accounting"
WRONG = SOLUTIONS / "wrong"
# Correct solutions that are written differently from the reference: every test must pass.
_ALTERNATIVES = ("by_loops", "another_order")


# Bodies that solve nothing: no test may pass with one of them in every function.
ROTE = {
    "returns None": "return None",
    "returns 0": "return 0",
    "returns 1": "return 1",
    "returns -1": "return -1",
    "returns 1.0": "return 1.0",
    "returns nan": "return float('nan')",
    "returns infinity": "return float('inf')",
    "returns True": "return True",
    "returns False": "return False",
    "returns ''": "return ''",
    "returns ()": "return ()",
    "returns []": "return []",
    "returns {}": "return {}",
    "returns an empty iterator": "return iter(())",
    "returns a dtype": "import torch; return torch.float32",
    "returns an empty tensor": "import torch; return torch.empty(0)",
    "returns an array": "import numpy; return numpy.zeros((2, 2))",
    "returns a complex tensor": "import torch; "
    "return torch.zeros(3, dtype=torch.complex64, requires_grad=True)",
    **{
        f"returns {dtype}": f"import torch; return torch.ones(2, 2, dtype=torch.{dtype})"
        for dtype in ("float64", "float32", "float16", "bfloat16", "int64", "int32", "bool")
    },
    "returns its first argument": "return args[0] if args else None",
    "returns a copy of its first argument": "import copy; "
    "return copy.deepcopy(args[0]) if args else None",
    "returns its last argument": "return args[-1] if args else None",
    "raises ValueError": "raise ValueError('no')",
    "raises TypeError": "raise TypeError('no')",
    "raises IndexError": "raise IndexError('no')",
    "raises KeyError": "raise KeyError('no')",
    "raises RuntimeError": "raise RuntimeError('no')",
    "raises OSError": "raise OSError('no')",
    # The text is computed: with a constant one it would count as a stub, and no test would run.
    "raises NotImplementedError": "raise NotImplementedError(str(len(args)))",
}


class Kind(StrEnum):
    """What a submission is verified for."""

    REFERENCE = "reference"  # full marks
    ALTERNATIVE = "alternative"  # full marks
    HANDOUT = "handout"  # no points
    ROTE = "rote"  # no check passes
    MEMORIZED = "memorized"  # no hidden check passes
    ECHO = "echo"  # no hidden check passes
    BORROWER = "borrower"  # no hidden check passes
    WRONG = "wrong"  # loses points in its exercise
    STUB = "stub"  # loses the points of its exercise


CORE_SHARE = 0.25  # of an exercise's points, for code without its defining work
RUBRIC = 0.5  # of an exercise's points: what one mistake costs by the rules that it breaks
_FIRST_LINE = re.compile(r'"""(\w+)(?: \((public|core)\))?: (.+)')


class WrongError(ManifestError):
    """A file of `solutions/wrong` is invalid; the message says what to do."""


@dataclass(frozen=True)
class Wrong:
    """A plausible wrong submission: a fragment that redefines some functions.

    The file begins with a docstring. Its first line is `exercise_id: what is wrong`; each paragraph
    after it, `Breaks: …`, quotes words of the exercise's docstring. `Costs: …` is the reason why it
    breaks rules that are worth more than `RUBRIC` of the points. The fragment is appended to the
    reference's module, where the later definition of a name counts.

    After the exercise may stand `(public)`: only a public test sees the mistake, since no worker's
    report is proof of it. Such a mistake loses no points where there are hidden tests. Or `(core)`:
    the simplest code without the exercise's defining work (`work` in the manifest), which earns at
    most `CORE_SHARE` of its points.
    """

    path: Path
    exercise: Exercise
    mistake: str
    mark: str = ""  # "public" or "core"
    breaks: tuple[str, ...] = ()
    costs: str = ""

    @property
    def public(self) -> bool:
        return self.mark == "public"

    @property
    def core(self) -> bool:
        return self.mark == "core"

    @property
    def module(self) -> str:
        return self.exercise.modules[0]

    def write(self, folder: Path, reference: Path = REFERENCE) -> Path:
        """Writes the reference with the fragment appended into `folder`; returns `folder`."""
        package = copy_reference(folder, reference)
        module = package / f"{self.module}.py"
        text = module.read_text(encoding="utf-8")
        module.write_text(f"{text}\n\n{self.path.read_text(encoding='utf-8')}", encoding="utf-8")
        return folder


def dependents(exercise: Exercise, manifest: Manifest) -> list[str]:
    """The ids of an exercise and of all that build on it, in the manifest's order."""
    found = [exercise.id]
    for other in manifest:  # dependencies come first
        if other.id not in found and set(found) & set(other.depends_on):
            found.append(other.id)
    return found


def write_stub(folder: Path, manifest: Manifest, exercise: Exercise) -> None:
    """Writes the reference into `folder`, with the functions of one exercise as stubs."""
    package = copy_reference(folder)
    for function in exercise.functions:
        module, _, name = function.partition(".")
        file = package / f"{module}.py"
        stubs = REPOSITORY / "handout" / manifest.package / file.name
        text = replace_definition(file.read_text("utf-8"), stubs.read_text("utf-8"), name)
        file.write_text(text, "utf-8")


def read_wrong(path: Path, manifest: Manifest) -> Wrong:
    """Reads what a wrong submission says of itself; raises WrongError if it names no exercise."""
    text = path.read_text(encoding="utf-8")
    first = text.partition("\n")[0]
    match = _FIRST_LINE.fullmatch(first.removesuffix('"""'))
    known = {exercise.id: exercise for exercise in manifest}
    if match is None or match[1] not in known:
        raise WrongError(
            f'{_place(path)}:1: the first line must be """exercise_id: what is wrong""", with an '
            f"exercise of the manifest; got {first!r}"
        )
    if "\nfrom __future__ import" in text:  # a syntax error there: every test would seem to fail
        line = 1 + text[: text.index("\nfrom __future__ import") + 1].count("\n")
        raise WrongError(
            f"{_place(path)}:{line}: leave out `from __future__`: it is appended to a module"
        )
    header = [" ".join(part.split()) for part in text.split('"""')[1].split("\n\n")[1:]]
    costs = next((part for part in header if part.startswith("Costs: ")), "")
    breaks = tuple(part.removeprefix("Breaks: ") for part in header if part != costs)
    costs = costs.removeprefix("Costs: ")
    return Wrong(path, known[match[1]], match[3].strip(), match[2] or "", breaks, costs)


def _place(path: Path) -> str:
    """A file as an editor finds it from the repository."""
    return str(path.relative_to(REPOSITORY) if path.is_relative_to(REPOSITORY) else path)


def all_wrong(manifest: Manifest, folder: Path = WRONG, hidden: bool = False) -> list[Wrong]:
    """Every wrong submission, sorted by name; `hidden` leaves out those for public tests."""
    found = [read_wrong(path, manifest) for path in sorted(folder.glob("*.py"))]
    return [wrong for wrong in found if not (hidden and wrong.public)]


def alternatives() -> list[Path]:
    """The folders of correct solutions that are written differently from the reference."""
    return [REPOSITORY / "tests" / "submissions" / name for name in _ALTERNATIVES]


def copy_reference(folder: Path, reference: Path = REFERENCE) -> Path:
    """Copies the reference's package into `folder`; returns the package's folder."""
    package = folder / reference.name
    shutil.copytree(reference, package, ignore=shutil.ignore_patterns("__pycache__"))
    return package


def write_package(folder: Path, manifest: Manifest, text_of: Callable[[str], str]) -> None:
    """Writes a submission into `folder`; `text_of` gives each module's text by its name."""
    package = folder / manifest.package
    package.mkdir(parents=True)
    for module in manifest.modules:
        (package / f"{module}.py").write_text(text_of(module), encoding="utf-8")


def write_rote(folder: Path, manifest: Manifest, body: str) -> None:
    """Writes a submission whose functions all have the same body."""

    def text_of(module: str) -> str:
        names = manifest.functions_of(module)
        return "\n\n".join(f"def {name}(*args, **kwargs):\n    {body}\n" for name in names)

    write_package(folder, manifest, text_of)
