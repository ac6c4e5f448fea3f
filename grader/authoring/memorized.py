"""A submission that has memorized the public tests.

It gives the reference's answer to each call that a public test makes, and fails on every other
call. No hidden test may pass with it.
"""

from __future__ import annotations

import ast
import functools
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from assignment.calls.implementation import Implementation, LocalImplementation
from assignment.hooks import PROVIDER
from assignment.manifest import Manifest
from grader.authoring.variants import write_package
from grader.paths import REPOSITORY

_MODULE = """
KNOWN = {known!r}


def _answer(name, args, kwargs):
    if (key := f"{{name}} {{args}} {{kwargs}}") in KNOWN:
        return eval(KNOWN[key])
    {otherwise}
"""
_FUNCTION = """

def {name}(*args, **kwargs):
    return _answer({name!r}, args, kwargs)
"""


class _Recorder:
    """A pytest plugin whose `impl` is the reference; records each call and its result."""

    def __init__(self, package: str) -> None:
        self.package = package
        self.known: dict[str, dict[str, str]] = {}  # by module

    def pytest_configure(self, config: pytest.Config) -> None:
        config.stash[PROVIDER] = self.provide

    @contextmanager
    def provide(self, request: pytest.FixtureRequest) -> Iterator[Implementation]:
        with tempfile.TemporaryDirectory() as scratch:
            yield _Recorded(self.package, Path(scratch), self.known)


class _Recorded(LocalImplementation):
    def __init__(self, package: str, scratch: Path, known: dict[str, dict[str, str]]) -> None:
        super().__init__(package, scratch)
        self._known = known

    def call(self, target: str, /, *args: Any, **kwargs: Any) -> Any:
        result = super().call(target, *args, **kwargs)
        module, _, name = target.partition(".")
        answer = repr(result)
        try:
            ast.literal_eval(answer)
        except (ValueError, SyntaxError):
            return result  # such as a tensor: no literal gives it back
        self._known.setdefault(module, {})[f"{name} {args} {kwargs}"] = answer
        return result


@functools.cache  # one run of the public tests serves all submissions
def record_answers(manifest: Manifest) -> dict[str, dict[str, str]]:
    """The reference's answers to the calls of the public tests, by module."""
    recorder = _Recorder(f"solutions.{manifest.package}")
    configuration = REPOSITORY / "grader" / "judge" / "judge.ini"
    status = pytest.main(
        ["-c", str(configuration), "--capture=no", str(REPOSITORY / "tests" / "public")],
        plugins=[recorder],
    )
    if status is not pytest.ExitCode.OK:
        raise RuntimeError(f"the reference does not pass the public tests ({status!r})")
    return recorder.known


def write(folder: Path, manifest: Manifest, otherwise: str) -> None:
    """Writes the submission into `folder`; unknown calls run the statement `otherwise`."""
    known = record_answers(manifest)

    def text_of(module: str) -> str:
        functions = (_FUNCTION.format(name=name) for name in manifest.functions_of(module))
        return _MODULE.format(known=known.get(module, {}), otherwise=otherwise) + "".join(functions)

    write_package(folder, manifest, text_of)
