"""Clauses: what docstrings promise, and the wrong submission that breaks each of it.

A docstring is cut into clauses: its sentences, parts of them after a semicolon or a colon, and each
reason of a refusal. A wrong submission quotes the words that it breaks (`variants.Wrong.breaks`).
`grader author verify` shows that tests catch it, so a clause that is quoted has a test that fails
without it. `solutions/clauses.toml` lists the others, which promise nothing, with the reason.
"""

from __future__ import annotations

import ast
import inspect
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from assignment.manifest import Manifest, ManifestError
from grader.authoring.variants import REFERENCE, SOLUTIONS, Wrong

PROMISES_NOTHING = SOLUTIONS / "clauses.toml"
_SECTIONS = ("Args:", "Returns:", "Yields:", "Raises:", "Attributes:")
# What an argument is: its name and the first words. What follows may promise something.
_DEFINITION = re.compile(r"[\w, *]+: (?:\([^)]*\)|[^,;.(])*(?:[,;.] |\.?$)")
# What callers guarantee of an argument: nobody need check it, so no mistake breaks it.
_RANGE = re.compile(
    r"(?:.*, |each |which )?(?:at least|at most|more than|less than|within|\d or more|divides|"
    r"a divisor of)\b.*"
)
_EXCEPTION = re.compile(r"\w*(Error|Exception|Iteration): ")


class ClauseError(ManifestError):
    """A quote that no docstring holds; the message says whose."""


@dataclass(frozen=True)
class Clause:
    """A part of a docstring: from `start` to `end` of the text of its paragraph."""

    function: str  # "strides.gather"; "strides" for the module's own docstring
    paragraph: str
    start: int
    end: int
    of_argument: bool = False

    @property
    def text(self) -> str:
        return self.paragraph[self.start : self.end]

    @property
    def is_range(self) -> bool:
        """Whether it says which values of an argument are valid."""
        return self.of_argument and _RANGE.fullmatch(self.text) is not None

    def is_quoted(self, quote: str) -> bool:
        """Whether the clause has more than half of a quote, or the quote more than half of it."""
        at = self.paragraph.find(quote)
        if at < 0:
            return False
        overlap = min(self.end, at + len(quote)) - max(self.start, at)
        return 2 * overlap > min(self.end - self.start, len(quote))


def unbroken(
    clauses: Mapping[str, list[Clause]], broken: Mapping[Clause, list[Wrong]]
) -> dict[str, list[Clause]]:
    """The clauses that no wrong submission breaks and that may promise something, by function.

    Takes what `all_clauses` and `breakers` return.

    Raises:
        ClauseError: `solutions/clauses.toml` lists a clause that is in no docstring.
    """
    exempt = promises_nothing()
    for name, texts in exempt.items():
        known = {clause.text for clause in clauses.get(name, ())}
        for text in texts:
            if text not in known:
                raise ClauseError(f"{PROMISES_NOTHING.name}: {name} has no clause {text!r}")
    left = {
        name: [c for c in some if not (broken[c] or c.is_range or c.text in exempt.get(name, ()))]
        for name, some in clauses.items()
    }
    return {name: some for name, some in left.items() if some}


def clauses_of(function: str, docstring: str) -> list[Clause]:
    """The clauses of a docstring, in order; examples and sources are left out."""
    found = []
    for section, paragraph in _paragraphs(docstring):
        for start, end in _spans(paragraph, section):
            found.append(Clause(function, paragraph, start, end, section == "Args:"))
    return found


def all_clauses(manifest: Manifest) -> dict[str, list[Clause]]:
    """The clauses of each module and of each function that an exercise names, by that name.

    Raises:
        ClauseError: the reference lacks a function.
    """
    found: dict[str, list[Clause]] = {}
    named = {name for exercise in manifest for name in exercise.functions}
    for module in dict.fromkeys(name.partition(".")[0] for name in sorted(named)):
        tree = ast.parse((REFERENCE / f"{module}.py").read_text(encoding="utf-8"))
        _, _, rest = (ast.get_docstring(tree) or "").partition("\n\n")
        found[module] = clauses_of(module, rest)
        for node in tree.body:
            name = f"{module}.{getattr(node, 'name', '')}"
            if name in named and isinstance(node, ast.FunctionDef | ast.ClassDef):
                found[name] = [c for text in _docstrings(node) for c in clauses_of(name, text)]
    if absent := sorted(named - found.keys()):
        raise ClauseError(f"the reference does not define {', '.join(absent)}")
    return found


def breakers(clauses: Mapping[str, list[Clause]], wrong: list[Wrong]) -> dict[Clause, list[Wrong]]:
    """The wrong submissions that quote each clause.

    Raises:
        ClauseError: a quote is in no docstring of its exercise or of the exercise's modules.
    """
    found: dict[Clause, list[Wrong]] = {c: [] for some in clauses.values() for c in some}
    for submission in wrong:
        exercise = submission.exercise
        candidates = [c for name in (*exercise.functions, *exercise.modules) for c in clauses[name]]
        for quote in submission.breaks:
            if not (quoted := [clause for clause in candidates if clause.is_quoted(quote)]):
                raise ClauseError(
                    f"{submission.path.name}: no docstring of {exercise.id} says {quote!r}"
                )
            for clause in quoted:
                found[clause].append(submission)
    return found


def promises_nothing() -> dict[str, dict[str, str]]:
    """Clauses that promise nothing, by function: the clause's text, and the reason."""
    modules = tomllib.loads(PROMISES_NOTHING.read_text(encoding="utf-8"))
    return {
        module if name == "module" else f"{module}.{name}": reasons
        for module, functions in modules.items()
        for name, reasons in functions.items()
    }


def _docstrings(node: ast.FunctionDef | ast.ClassDef) -> Iterator[str]:
    """The docstring of a function; those of a class and of its public methods."""
    yield ast.get_docstring(node) or ""
    for inner in node.body if isinstance(node, ast.ClassDef) else ():
        if isinstance(inner, ast.FunctionDef) and not inner.name.startswith("_"):
            yield ast.get_docstring(inner) or ""


def _paragraphs(docstring: str) -> Iterator[tuple[str, str]]:
    """The section and the text of each paragraph, list item and argument, in one line each."""
    section, lines = "", inspect.cleandoc(docstring).splitlines()
    for block in _blocks(lines):
        if block[0] in _SECTIONS:
            section = block[0]
            entries: list[str] = []
            for line in (text[4:] for text in block[1:]):
                if entries and (line.startswith("    ") or section in ("Returns:", "Yields:")):
                    entries[-1] += f" {line}"
                else:
                    entries.append(line)
            yield from ((section, " ".join(entry.split())) for entry in entries)
        elif not block[0].startswith(("    ", "Source:", "Sources:")):
            section = ""
            yield section, " ".join(" ".join(block).split())


def _blocks(lines: list[str]) -> Iterator[list[str]]:
    """Lines between blank lines; a numbered item begins a block of its own."""
    block: list[str] = []
    for line in [*lines, ""]:
        if block and (not line or re.match(r"(\d+\.|-) ", line)):
            yield block
            block = []
        if line:
            block.append(line)


def _spans(text: str, section: str) -> Iterator[tuple[int, int]]:
    """Start and end of each clause in a paragraph of a section."""
    ends, start = r"(?<=\S)[.;:](?=\s)", 0
    if section == "Raises:" and (match := _EXCEPTION.match(text)):
        ends = r"(?<=\S)[.;:](?=\s)|, or | or (?!more|less)|, (?!for example)"
        start = match.end()
    else:
        opening = _DEFINITION if section == "Args:" else re.compile(r"(\d+\.|-) ")
        if match := opening.match(text):
            start = match.end()
    for match in re.finditer(ends, text):
        if match.start() > start:
            yield start, match.start()
            start = match.end() + (text[match.end() :][:1] == " ")
    if start < len(text) and not text.endswith(":"):  # which introduces an example or a list
        yield start, len(text.rstrip("."))
