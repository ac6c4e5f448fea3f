"""The text, read once, and its pages."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.authoring import site
from grader.authoring.site import pages, text


@pytest.fixture(scope="session")
def book() -> text.Book:
    return text.read(site.WRITEUP)


@pytest.fixture(scope="session")
def built(book: text.Book, tmp_path_factory: pytest.TempPathFactory) -> Path:
    destination = tmp_path_factory.mktemp("site")
    pages.write(book, destination)
    return destination


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A write-up of four titles, almost without words."""
    monkeypatch.setattr(text, "names", lambda: ("index", "dtypes", "flops", "data"))
    for name in text.names():
        (tmp_path / f"{name}.md").write_text(f"# About {name}\n\n## Idea\n\nWords.\n")
    (tmp_path / "figures").mkdir()
    return tmp_path
