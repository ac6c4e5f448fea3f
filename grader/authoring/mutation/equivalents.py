"""The reviewed list of equivalent mutants: those that no test could tell from the reference.

A TOML file. Each entry names a mutant by what does not change when other lines do:

    [[mutant]]
    module = "strides"
    function = "view_strides"
    original = "left, step = 1, 1"
    mutated = "left, step = 1, 2"
    reason = "the stride of a dimension before the first that is cut off is never used"

`original` and `mutated` are the lines that change, as the diff of a survivor shows them, without
their indentation. `occurrence = 2` stands for the second such change in a function.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from pathlib import Path

import msgspec

from grader.authoring.mutation.mutants import Mutant


class EquivalentsError(Exception):
    """The list cannot be used; the message names the file, the entry and what to do."""


class Entry(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """One mutant, and why it is equivalent: for whoever reviews it."""

    module: str
    function: str
    original: str
    mutated: str
    reason: str
    occurrence: int = 1

    @property
    def key(self) -> tuple[str, str, str, str, int]:
        return self.module, self.function, self.original, self.mutated, self.occurrence

    def __str__(self) -> str:
        nth = f" ({self.occurrence})" if self.occurrence > 1 else ""
        return f"{self.module}.{self.function}{nth}: {self.original!r} → {self.mutated!r}"


class _File(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    mutant: tuple[Entry, ...] = ()


class Equivalents:
    """The list; `reason` answers why a mutant is on it."""

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self._entries: dict[tuple[str, str, str, str, int], Entry] = {}
        for entry in entries:
            if entry.key in self._entries:
                raise EquivalentsError(f"{entry} stands twice; keep one of them")
            if not entry.reason.strip():
                raise EquivalentsError(f"{entry} has no reason; say why no test could tell")
            self._entries[entry.key] = entry

    def reason(self, mutant: Mutant) -> str | None:
        """Why a mutant is equivalent; None if it is not on the list."""
        entry = self._entries.get(key_of(mutant))
        return entry.reason if entry else None

    def unmatched(self, mutants: Iterable[Mutant], modules: Iterable[str]) -> list[Entry]:
        """Entries of these modules that stand for no mutant."""
        found, looked_at = {key_of(mutant) for mutant in mutants}, set(modules)
        return [e for e in self._entries.values() if e.module in looked_at and e.key not in found]


def key_of(mutant: Mutant) -> tuple[str, str, str, str, int]:
    """What an entry must say to stand for a mutant."""
    return mutant.module, mutant.function, mutant.original, mutant.mutated, mutant.occurrence


def load(path: Path) -> Equivalents:
    """Reads the list; raises EquivalentsError if it cannot be used. No file is an empty list."""
    if not path.exists():
        return Equivalents()
    try:
        file = msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), _File)
        return Equivalents(file.mutant)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError, EquivalentsError) as error:
        raise EquivalentsError(f"{path.name}: {error}") from error
