"""Adds, renames and removes an exercise: in the manifest, the reference, the two other correct
solutions, the tests, the wrong submissions and the text.

A new one works from the start, as small as an exercise can be, so that every check passes. What an
author writes in its place is then seen to work, or not, step by step.
"""

from __future__ import annotations

import ast
import builtins
import keyword
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import msgspec

from assignment import manifest as manifests
from assignment.manifest import Exercise, ManifestError
from grader.judge.markers import marked_exercise
from grader.paths import REPOSITORY

SpanOf = Callable[[str, str], tuple[int, int]]  # `_entry_span` or `_section_span`
_ID = re.compile(r"[a-z][a-z0-9_]{2,39}")
_HINT, _WORK = "Twice a number is the number and itself.", "a number is doubled"
_TEXT = "(number)`: twice the number."
_ENTRY = f"""[[exercise]]
id = "{{id}}"
title = "{{title}}"
chapter = "{{chapter}}"
functions = ["{{module}}.{{id}}"]
points = 1
minutes = 10
{{core}}hint = "{_HINT}"
work = "{_WORK}"

"""
_REFERENCE = '''

def {id}(number: int) -> int:
    """Twice a whole number.

    Args:
        number: any whole number.

    Returns:
        The number and itself, added.
    """
    return 2 * number
'''
_ALTERNATIVES = {
    "by_loops": "\n\ndef {id}(number):\n    return sum(number for _ in range(2))\n",
    "another_order": "\n\ndef {id}(number):\n    return number + number\n",
}
_PUBLIC = '''

@pytest.mark.exercise("{id}")
def test_{id}(impl, rng):
    """Twice a number"""
    for number in (3, 0, -5, int(rng.integers(10, 1000))):
        expect(impl.{module}.{id}(number)).equals(2 * number)
'''
_HIDDEN = '''

@pytest.mark.exercise("{id}")
def test_{id}_of_any_number(later, rng):
    """Numbers of any size and sign are doubled"""
    for _ in range(20):
        number = int(rng.integers(-(2**40), 2**40))
        later.{module}.{id}(number).equals(2 * number)
'''
_WRONG = {
    "core": (" (core)", "the number itself", "return number"),
    "mistake": ("", "the square of the number", "return number * number"),
    "another": ("", "twice the absolute value", "return 2 * abs(number)"),
}
_SECTION = f"""## Exercise `{{id}}` ({{worth}})

Write `{{id}}{_TEXT}

- Deliverable: `{{id}}` in `{{package}}/{{module}}.py`.
- Command: `make test EX={{id}}`

"""


def template_leftovers(exercise: Exercise, reference: str, text: str) -> list[str]:
    """Texts still as `new` wrote them, of doubling a number, though the function has been replaced.

    `reference` is the reference's module with the exercise, `text` its chapter.
    """
    names = (function.partition(".")[2] for function in exercise.functions)
    if any(_REFERENCE.format(id=name) in reference for name in names):
        return []
    kept = {"hint": _HINT in exercise.hint, "work": _WORK in exercise.work, "text": _TEXT in text}
    return [
        f"its {where} still speaks of twice a number" for where, is_kept in kept.items() if is_kept
    ]


@dataclass(frozen=True)
class Places:
    """The files of an exercise in a repository."""

    root: Path

    @property
    def manifest(self) -> Path:
        return self.root / "assignment" / "assignment.toml"

    @property
    def wrong(self) -> Path:
        return self.root / "solutions" / "wrong"

    def text(self, chapter: str) -> Path:
        return self.root / "assignment" / "writeup" / f"{chapter}.md"

    def solutions(self, package: str, module: str) -> dict[str, Path]:
        """The reference, under "", and the other correct solutions by name."""
        others = self.root / "tests" / "submissions"
        found = {"": self.root / "solutions" / package / f"{module}.py"}
        return found | {name: others / name / package / f"{module}.py" for name in _ALTERNATIVES}

    def tests(self) -> list[Path]:
        folders = ("public", "hidden", "timing")
        return [p for name in folders for p in sorted((self.root / "tests" / name).glob("*.py"))]


def add(exercise_id: str, after: str, title: str = "", root: Path = REPOSITORY) -> list[Path]:
    """Adds an exercise of a chapter, right after another one; returns what was written.

    It is a core or a further exercise as the other one is.

    Raises:
        ManifestError: the id or the title is invalid, the id is taken, or `after` does not exist.
    """
    places = Places(root)
    manifest = manifests.parse(places.manifest.read_text(encoding="utf-8"))
    neighbour = manifest[after]
    if not _ID.fullmatch(exercise_id):
        raise ManifestError(f"{exercise_id!r} is no id; 3 to 40 of a-z, 0-9 and _, a letter first")
    module = neighbour.modules[0]
    solutions = places.solutions(manifest.package, module)
    taken = {exercise.id for exercise in manifest} | {*keyword.kwlist, *dir(builtins)}
    if exercise_id in taken or any(
        re.search(rf"\b{exercise_id}\b", path.read_text(encoding="utf-8"))
        for path in solutions.values()
    ):
        raise ManifestError(f"{exercise_id} is taken; choose another id")
    if not title.isprintable() or set(title) & {'"', "\\"}:
        raise ManifestError(
            f"the title {title!r} has a quotation mark, a backslash or a line's end"
        )
    words = {
        "id": exercise_id,
        "title": title or exercise_id.replace("_", " ").capitalize(),
        "chapter": neighbour.chapter,
        "module": module,
        "package": manifest.package,
        "core": "" if neighbour.core else "core = false\n",
        "worth": msgspec.structs.replace(neighbour, points=1).worth,
    }
    written = [places.manifest, places.text(neighbour.chapter)]
    _insert(places.manifest, _entry_span, after, _ENTRY.format(**words))
    if neighbour.core:
        _change_points(places.manifest, manifest.points + 1)
    _insert(places.text(neighbour.chapter), _section_span, after, _SECTION.format(**words))
    for name, path in solutions.items():
        written.append(_append(path, (_ALTERNATIVES.get(name) or _REFERENCE).format(**words)))
    for folder, text in (("public", _PUBLIC), ("hidden", _HIDDEN)):
        path = root / "tests" / folder / f"test_{module}.py"
        written.append(_append(path, text.format(**words)))
    for name, (mark, what, body) in _WRONG.items():
        path = places.wrong / f"{exercise_id}_{name}.py"
        breaks = "Breaks: Twice a whole number.\n\nBreaks: The number and itself, added."
        docstring = f'"""{exercise_id}{mark}: {what}\n\n{breaks}\n"""'
        code = f"def {exercise_id}(number):\n    {body}\n"
        path.write_text(f"{docstring}\n\n\n{code}", encoding="utf-8")
        written.append(path)
    return written


def remove(exercise_id: str, root: Path = REPOSITORY) -> list[Path]:
    """Removes an exercise with all that is its own; returns the changed and the removed files.

    Raises:
        ManifestError: there is no such exercise, or another one depends on it.
    """
    places = Places(root)
    manifest = manifests.parse(places.manifest.read_text(encoding="utf-8"))
    exercise = manifest[exercise_id]
    if users := [other.id for other in manifest if exercise_id in other.depends_on]:
        raise ManifestError(f"{', '.join(users)} depend on {exercise_id}; change that first")
    changed = [places.manifest, places.text(exercise.chapter)]
    _drop(places.manifest, _entry_span, exercise_id)
    if exercise.core:
        key = "cuda_points" if exercise.needs else "points"
        before = manifest.cuda_points if exercise.needs else manifest.points
        _change_points(places.manifest, before - exercise.points, key)
    _drop(places.text(exercise.chapter), _section_span, exercise_id)
    for path in sorted(places.wrong.glob("*.py")):
        if re.match(rf'"""{exercise_id}\b', path.read_text(encoding="utf-8")):
            path.unlink()
            changed.append(path)
    for path in places.tests():
        changed += _cut(path, lambda node: marked_exercise(node) == exercise_id)
    shared = {name for other in manifest if other.id != exercise_id for name in other.functions}
    for module, function in (n.split(".") for n in exercise.functions if n not in shared):
        for path in places.solutions(manifest.package, module).values():
            changed += _cut(path, partial(_has_name, function))
    return changed


def rename(old: str, new: str, root: Path = REPOSITORY) -> list[Path]:
    """Gives an exercise another id; its functions keep their names. Returns what changed.

    Raises:
        ManifestError: no exercise has the old id, or the new one is invalid or taken.
    """
    places = Places(root)
    manifest = manifests.parse(places.manifest.read_text(encoding="utf-8"))
    others = {exercise.id for exercise in manifest if exercise != manifest[old]}
    if not _ID.fullmatch(new) or new in others:
        raise ManifestError(f"{new!r} is no id, or is taken")
    marked = [
        path
        for path in places.tests()
        if _replace(path, rf'(exercise\(\s*)"{old}"', rf'\g<1>"{new}"')
    ]
    entry = rf'(?m)^(id = |depends_on = .*)"{old}"'
    changed = marked + [places.manifest] * _replace(places.manifest, entry, rf'\g<1>"{new}"')
    pattern, by = rf"(Exercise `|EX=){old}\b", rf"\g<1>{new}"
    chapters = sorted((root / "assignment" / "writeup").glob("*.md"))
    changed += [path for path in chapters if _replace(path, pattern, by)]
    for path in sorted(places.wrong.glob("*.py")):
        if _replace(path, rf'\A"""{old}\b', f'"""{new}'):
            to = path.with_name(re.sub(rf"\A{old}(?=_)", new, path.name))
            changed.append(path.rename(to))
    return changed


def mentions(exercise_id: str, root: Path = REPOSITORY) -> Iterator[str]:
    """Where the id still stands in the assignment, the solutions and the tests: `file:line`."""
    for folder in ("assignment", "solutions", "tests"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".py", ".toml", ".md", ".json"):
                lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
                for number, line in enumerate(lines, 1):
                    if re.search(rf"\b{exercise_id}\b", line):
                        yield f"{path.relative_to(root)}:{number}"


def _append(path: Path, text: str) -> Path:
    path.write_text(path.read_text(encoding="utf-8").rstrip("\n") + "\n" + text, encoding="utf-8")
    return path


def _entry_span(text: str, exercise_id: str) -> tuple[int, int]:
    """Start and end of an exercise's entry in the manifest."""
    begin = text.index(f'[[exercise]]\nid = "{exercise_id}"\n')
    following = re.compile(r"^(\[\[exercise\]\]|# ---)", re.MULTILINE).search(text, begin + 1)
    return begin, following.start() if following else len(text)


def _change_points(path: Path, points: float, key: str = "points") -> None:
    text = path.read_text(encoding="utf-8")
    line = re.compile(rf"^{key} = [\d.]+", re.MULTILINE)
    path.write_text(line.sub(f"{key} = {points:g}", text, count=1), encoding="utf-8")


def _section_span(text: str, exercise_id: str) -> tuple[int, int]:
    """Start and end of an exercise's section in its chapter."""
    begin = text.index(f"## Exercise `{exercise_id}` ")
    following = re.compile(r"^(## |Sources: )", re.MULTILINE).search(text, begin + 1)
    return begin, following.start() if following else len(text)


def _insert(path: Path, span_of: SpanOf, after: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    _, end = span_of(text, after)
    before = text[:end].rstrip("\n") + "\n\n"
    path.write_text((before + new + text[end:]).rstrip("\n") + "\n", encoding="utf-8")


def _drop(path: Path, span_of: SpanOf, exercise_id: str) -> None:
    text = path.read_text(encoding="utf-8")
    begin, end = span_of(text, exercise_id)
    path.write_text((text[:begin] + text[end:]).rstrip("\n") + "\n", encoding="utf-8")


def _has_name(name: str, node: ast.FunctionDef | ast.ClassDef) -> bool:
    return node.name == name


def _cut(path: Path, matches: Callable[[ast.FunctionDef | ast.ClassDef], bool]) -> list[Path]:
    """Removes the matching definitions of a module; returns the file if there were any."""
    if not path.is_file():
        return []
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines(keepends=True)
    for node in reversed(ast.parse(text).body):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and matches(node):
            begin = min([node.lineno, *(d.lineno for d in node.decorator_list)]) - 1
            while begin and not lines[begin - 1].strip():
                begin -= 1
            del lines[begin : node.end_lineno]
    cut = "".join(lines)
    if cut == text:
        return []
    path.write_text(cut, encoding="utf-8")
    return [path]


def _replace(path: Path, pattern: str, by: str) -> bool:
    text = path.read_text(encoding="utf-8")
    changed = re.sub(pattern, by, text)
    if changed != text:
        path.write_text(changed, encoding="utf-8")
    return changed != text
