"""Fixtures of the tests of mutation."""

import pytest

from assignment.hooks import seed_of
from grader.authoring.mutation import plan
from tests.harness.authoring.mutation.toy import PUBLIC, TESTS, TOY, toy_manifest


@pytest.fixture
def toy(tmp_path):
    """A reference of one module, tests for most of its functions, no list of equivalents."""
    (tmp_path / "solutions" / "toy_package").mkdir(parents=True)
    (tmp_path / "solutions" / "toy_package" / "toy.py").write_text(TOY)
    (tmp_path / "tests" / "hidden").mkdir(parents=True)
    (tmp_path / "tests" / "public").mkdir()
    (tmp_path / "tests" / "public" / "test_toy.py").write_text(PUBLIC)
    second = seed_of("mutation 0 1", "hidden", "test_toy", "test_flaky")
    text = f"import pytest\nSECOND = {second}\n"
    for name, body in TESTS.items():
        text += f"@pytest.mark.exercise('{name}')\ndef test_{name}(impl, rng, seed):\n{body}\n"
    (tmp_path / "tests" / "hidden" / "test_toy.py").write_text(text)
    names = [*TESTS, "untested"]
    return plan.Assignment(
        reference=tmp_path / "solutions",
        repository=tmp_path,
        manifest=toy_manifest(**{name: [f"toy.{name}"] for name in names}),
        equivalents=tmp_path / "list.toml",
    )
