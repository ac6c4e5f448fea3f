"""Fixtures: `reference`, the solutions imported into the judge's process, and `for_all`."""

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from hypothesis.strategies import SearchStrategy

from assignment.implementation import Implementation, LocalImplementation


@pytest.fixture
def reference() -> Iterator[Implementation]:
    """The reference implementation, called like `impl`."""
    with tempfile.TemporaryDirectory() as scratch:
        yield LocalImplementation("solutions.resource_accounting", Path(scratch))


@pytest.fixture
def for_all(seed: int) -> Callable[..., Callable[[Callable[..., None]], None]]:
    """Checks a property on examples that hypothesis draws from this test's seed.

        @for_all(n=st.integers(0, 100))
        def holds(n):
            expect(impl.dtypes.tensor_bytes([n], torch.int8)).equals(n)

    The first failure is reported without shrinking, which would call a submission that just failed,
    and perhaps hung, a hundred times more.
    """

    def run(
        examples: int = 40, **strategies: SearchStrategy[Any]
    ) -> Callable[[Callable[..., None]], None]:
        def decorate(holds: Callable[..., None]) -> None:
            first: list[BaseException] = []

            def until_it_fails(**drawn: Any) -> None:
                if first:
                    return
                try:
                    holds(**drawn)
                except hypothesis.errors.UnsatisfiedAssumption:
                    raise
                except BaseException as error:
                    first.append(error)

            settings = hypothesis.settings(
                max_examples=examples,
                database=None,
                deadline=None,
                phases=[hypothesis.Phase.generate],
                suppress_health_check=list(hypothesis.HealthCheck),
            )
            hypothesis.seed(seed)(settings(hypothesis.given(**strategies)(until_it_fails)))()
            if first:
                raise first[0]

        return decorate

    return run
