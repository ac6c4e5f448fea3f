"""The pytest plugin of the assignment: `impl`, seeds, the `exercise` marker.

    pytest -p assignment.plugin tests/public --submission .

`impl` is the implementation under test. Here it is imported into this process. The grader replaces
it by a sandboxed one, by setting `hooks.PROVIDER`, and the same tests run.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
import torch

from assignment import manifest
from assignment.calls import devices, imports
from assignment.calls.implementation import Implementation, LocalImplementation, seed_everything
from assignment.calls.journal import Journal
from assignment.hooks import PROVIDER, SHARED_FOLDERS, exercise_of, nonce_of, package_of, seed_of
from assignment.student.deadline import TimeLimits
from assignment.student.progress import Progress
from assignment.student.stops import Stops
from assignment.student.verbs import of_another_folder


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("assignment")
    group.addoption("--submission", default=".", help="folder with the package under test")
    group.addoption("--nonce", default="local", help="text from which random inputs are derived")
    group.addoption("--seed", type=int, default=None, help="draw other random inputs, by number")
    group.addoption("--ex", default=None, help="run only the tests of this exercise or chapter")
    group.addoption(
        "--progress",
        action="store_true",
        help="short failures, a table of exercises, and the next exercise",
    )
    group.addoption("--no-progress", action="store_false", dest="progress")
    group.addoption("--only-table", action="store_true", help="with --progress: no failures")


def pytest_configure(config: pytest.Config) -> None:
    """Refuses runs that would prove nothing, hides CUDA devices, sets up `--progress`."""
    if not __debug__:
        raise pytest.UsageError(
            "Python leaves out every assert, so tests pass; start it without -O and PYTHONOPTIMIZE"
        )
    if problem := of_another_folder(config.rootpath):
        raise pytest.UsageError(problem)
    devices.hide()  # as in the grader: the same result on every machine
    devices.start_no_driver()
    config.addinivalue_line(
        "markers",
        "exercise(id, weight=1, needs=''): the exercise that a test belongs to, its share of the "
        "points, and the test function of the same file without which it earns none",
    )
    if (number := config.getoption("--seed")) is not None:
        config.option.nonce = nonce_of(number)
    try:
        exercises = manifest.load()
    except manifest.ManifestError as error:
        raise pytest.UsageError(f"{manifest.AUTHORS}{error}") from error
    if (chosen := config.getoption("--ex")) is not None:
        try:
            exercises.named(chosen)
        except manifest.ManifestError as error:
            raise pytest.UsageError(str(error)) from error
    if config.getoption("jaxtyping_packages", None):
        from jaxtyping import jaxtyped

        with jaxtyped("context"):  # loads jax, if it is there, which draws from numpy's generator
            pass
    imports.watch(package_of(config).name, with_lines=config.getoption("progress"))
    if config.getoption("progress"):
        config.pluginmanager.register(Progress(config), "assignment-progress")
        config.pluginmanager.register(TimeLimits(config), "assignment-time-limits")
        config.pluginmanager.register(Stops(config), "assignment-stops")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With `--ex`, keeps only the tests of that exercise or chapter."""
    if (chosen := config.getoption("--ex")) is None:
        return
    names = {exercise.id for exercise in manifest.load().named(chosen)}
    kept = [item for item in items if exercise_of(item) in names]
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = kept


@pytest.fixture
def seed(request: pytest.FixtureRequest) -> int:
    """The seed of this test, from the run's nonce and the test's name.

    A hidden test gets another seed than a public test of the same name, whose inputs are shown.
    """
    hidden = ["hidden"] if request.path.parent.name == "hidden" else []
    nonce = request.config.getoption("--nonce")
    return seed_of(nonce, *hidden, request.path.stem, request.node.name)


@pytest.fixture
def rng(seed: int) -> np.random.Generator:
    """A numpy generator for this test's random inputs."""
    return np.random.default_rng(seed)


@pytest.fixture
def torch_rng(seed: int) -> torch.Generator:
    """A torch generator for this test's random inputs."""
    return torch.Generator().manual_seed(seed % 2**63)


@pytest.fixture
def shared_folder(request: pytest.FixtureRequest) -> Iterator[Path]:
    """A folder that the test writes to and the implementation may read; removed after the test."""
    with tempfile.TemporaryDirectory(dir=request.config.stash.get(SHARED_FOLDERS, None)) as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.fixture
def impl(request: pytest.FixtureRequest) -> Iterator[Implementation]:
    """The implementation under test."""
    with request.config.stash.get(PROVIDER, _in_this_process)(request) as implementation:
        yield implementation


@contextmanager
def _in_this_process(request: pytest.FixtureRequest) -> Iterator[Implementation]:
    """The student's package, imported here: what `impl` is without the grader."""
    package = package_of(request.config)
    if str(package.parent) not in sys.path:
        sys.path.insert(0, str(package.parent))
    seed_everything(request.getfixturevalue("seed"))
    scratch = request.getfixturevalue("tmp_path_factory").mktemp("scratch")
    journal = Journal() if request.config.getoption("progress") else None
    yield LocalImplementation(package.name, scratch, journal)
