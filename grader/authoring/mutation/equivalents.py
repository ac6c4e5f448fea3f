"""The reviewed list of equivalent mutants: no test could tell them from the reference.

It also holds the mutants that only public tests can notice, with `public = true`: what the judge
cannot observe is not a hidden test.

A TOML file. An entry identifies its mutant by fields that edits of other lines do not change:

    [[mutant]]
    module = "strides"
    function = "view_strides"
    original = "left, step = 1, 1"
    mutated = "left, step = 1, 2"
    reason = "the stride of a dimension before the first that is cut off is never used"

`original` and `mutated` are the changed lines as in the diff of a survivor, dedented.
`occurrence = 2` selects the second such change in a function.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from grader.authoring.mutation.mutants import Mutant


class EquivalentsError(Exception):
    """The list is invalid; the message names the file, the entry and what to do."""


class Entry(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """One mutant, and for reviewers the reason why no hidden test notices it."""

    module: str
    function: str
    original: str
    mutated: str
    reason: str
    occurrence: int = 1
    public: bool = False  # whether a public test notices it

    @property
    def key(self) -> tuple[str, str, str, str, int]:
        """`Mutant.key` of its mutant."""
        return self.module, self.function, self.original, self.mutated, self.occurrence

    def __str__(self) -> str:
        nth = f" ({self.occurrence})" if self.occurrence > 1 else ""
        return f"{self.module}.{self.function}{nth}: {self.original!r} → {self.mutated!r}"


class _File(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    mutant: tuple[Entry, ...] = ()


class Equivalents:
    """The list: `entry` looks up a mutant."""

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self._entries: dict[tuple[str, str, str, str, int], Entry] = {}
        for entry in entries:
            if entry.key in self._entries:
                raise EquivalentsError(f"{entry} is listed twice; keep one of them")
            if not entry.reason.strip():
                raise EquivalentsError(f"{entry} has no reason; say why no test could notice it")
            self._entries[entry.key] = entry

    def entry(self, mutant: Mutant) -> Entry | None:
        """A mutant's entry; None if it is not on the list."""
        return self._entries.get(mutant.key)

    def unmatched(self, mutants: Iterable[Mutant], modules: Iterable[str]) -> list[Entry]:
        """Entries of these modules that match no mutant."""
        found, checked = {mutant.key for mutant in mutants}, set(modules)
        return [e for e in self._entries.values() if e.module in checked and e.key not in found]


def load(path: Path) -> Equivalents:
    """Reads the list; raises EquivalentsError if it is invalid. No file means an empty list."""
    if not path.exists():
        return Equivalents()
    try:
        return Equivalents(msgspec.toml.decode(path.read_bytes(), type=_File).mutant)
    except (msgspec.DecodeError, EquivalentsError) as error:
        raise EquivalentsError(f"{path.name}: {error}") from error
