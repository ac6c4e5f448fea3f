"""The fixture `reference`: the solutions, imported into the judge's process."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from assignment.implementation import Implementation, LocalImplementation


@pytest.fixture
def reference() -> Iterator[Implementation]:
    """The reference implementation, called like `impl`."""
    with tempfile.TemporaryDirectory() as scratch:
        yield LocalImplementation("solutions.resource_accounting", Path(scratch))
