"""Which exercises a piece of the reference is for: those whose functions use it.

Read from the syntax trees: who names whom, in a module and across relative imports of siblings.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from assignment.manifest import Exercise, Manifest
from grader.authoring.mutation.mutants import WHOLE

Name = tuple[str, str]  # a module, and what it defines at its top


class Reach:
    """Who uses what among the modules of a package.

    Args:
        texts: every module's text, by its name.
        manifest: the exercises, and which functions they name.
    """

    def __init__(self, texts: Mapping[str, str], manifest: Manifest) -> None:
        self._manifest = manifest
        self._defined: dict[str, dict[str, list[ast.stmt]]] = {}
        self._trees = {module: ast.parse(text) for module, text in texts.items()}
        for module, tree in self._trees.items():
            self._defined[module] = {}
            for statement in tree.body:
                for name in _bound(statement):
                    self._defined[module].setdefault(name, []).append(statement)
        self._reached = {exercise.id: self._closure(exercise) for exercise in manifest}

    def exercises(self, module: str, scope: str) -> tuple[str, ...]:
        """The exercises whose tests may notice a change there, the likeliest first.

        Those that name the function, then those that use it, of its own module first.
        """
        users = [e for e in self._manifest if self._uses(e, module, scope)]
        named = [e for e in users if f"{module}.{scope}" in e.functions]
        same = [e for e in users if module in e.modules]
        return tuple(dict.fromkeys(e.id for e in (*named, *same, *users)))

    def owned(self, exercise: Exercise) -> set[Name]:
        """What is for an exercise: its functions, and helpers of them that no exercise names."""
        named = set(map(_split, self._manifest.functions))
        own = set(map(_split, exercise.functions))
        return {name for name in self._reached[exercise.id] if name in own or name not in named}

    def _uses(self, exercise: Exercise, module: str, scope: str) -> bool:
        reached = self._reached[exercise.id]
        if scope == WHOLE:  # whatever imports the module runs it
            return any(found == module for found, _ in reached)
        return (module, scope) in reached

    def _closure(self, exercise: Exercise) -> set[Name]:
        found: set[Name] = set()
        todo = list(map(_split, exercise.functions))
        while todo:
            if (name := todo.pop()) not in found:
                found.add(name)
                todo += self._used_by(*name)
        return found

    def _used_by(self, module: str, name: str) -> Iterator[Name]:
        for statement in self._defined.get(module, {}).get(name, ()):
            if isinstance(statement, ast.ImportFrom):
                yield from self._imported(statement, name)
                continue
            for node in ast.walk(statement):
                if isinstance(node, ast.Name) and node.id in self._defined[module]:
                    yield module, node.id

    def _imported(self, statement: ast.ImportFrom, name: str) -> Iterator[Name]:
        """What a name that is imported from a sibling stands for: all of a module, if it is one."""
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


def _bound(statement: ast.stmt) -> set[str]:
    """The names that a statement at a module's top binds."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return {statement.name}
    if isinstance(statement, ast.ImportFrom):
        return {alias.asname or alias.name for alias in statement.names}
    return {
        node.id
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
