"""Which exercises use a function of the reference, directly or through other functions.

Found from names in the syntax trees, within a module and across relative imports of siblings.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from assignment.manifest import Exercise, Manifest
from grader.authoring.mutation.mutants import MODULE_SCOPE
from grader.authoring.statements import names_of

Name = tuple[str, str]  # a module, and a name that it defines at top level


class Reach:
    """Which names of a package use which others, from the texts of its modules."""

    def __init__(self, texts: Mapping[str, str], manifest: Manifest) -> None:
        self._manifest = manifest
        self._defined: dict[str, dict[str, list[ast.stmt]]] = {}
        self._trees = {module: ast.parse(text) for module, text in texts.items()}
        for module, tree in self._trees.items():
            self._defined[module] = {}
            for statement in tree.body:
                for name in names_of(statement):
                    self._defined[module].setdefault(name, []).append(statement)
        self._reached = {exercise.id: self._closure(exercise) for exercise in manifest}

    def exercises(self, module: str, scope: str) -> tuple[str, ...]:
        """The exercises whose tests may notice a change there, the most likely first.

        First those that name the function; then those of its module that use it; then the others.
        """
        users = [e for e in self._manifest if self._uses(e, module, scope)]
        named = [e for e in users if f"{module}.{scope}" in e.functions]
        same = [e for e in users if module in e.modules]
        return tuple(dict.fromkeys(e.id for e in (*named, *same, *users)))

    def owned(self, exercise: Exercise) -> set[Name]:
        """An exercise's functions, and their helpers that no exercise names."""
        named = set(map(_split, self._manifest.functions))
        own = set(map(_split, exercise.functions))
        return {name for name in self._reached[exercise.id] if name in own or name not in named}

    def _uses(self, exercise: Exercise, module: str, scope: str) -> bool:
        reached = self._reached[exercise.id]
        if scope == MODULE_SCOPE:  # every import of the module runs it
            return any(found == module for found, _ in reached)
        return (module, scope) in reached

    def _closure(self, exercise: Exercise) -> set[Name]:
        """The exercise's functions and all that they use, directly or not."""
        found: set[Name] = set()
        todo = list(map(_split, exercise.functions))
        while todo:
            if (name := todo.pop()) not in found:
                found.add(name)
                todo += self._uses_of(*name)
        return found

    def _uses_of(self, module: str, name: str) -> Iterator[Name]:
        for statement in self._defined.get(module, {}).get(name, ()):
            if isinstance(statement, ast.ImportFrom):
                yield from self._imported(statement, name)
                continue
            for node in ast.walk(statement):
                if isinstance(node, ast.Name) and node.id in self._defined[module]:
                    yield module, node.id

    def _imported(self, statement: ast.ImportFrom, name: str) -> Iterator[Name]:
        """What an imported name refers to: a name of a sibling, or all names of a module."""
        (alias,) = [a for a in statement.names if (a.asname or a.name) == name]
        source = (statement.module or "").rpartition(".")[2]
        if source in self._defined:
            yield source, alias.name
        elif alias.name in self._defined:
            for defined in self._defined[alias.name]:
                yield alias.name, defined


def _split(function: str) -> Name:
    module, _, name = function.partition(".")
    return module, name
