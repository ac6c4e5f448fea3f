"""Builds the handout: the complete, standalone folder that a student gets.

    template + stubs of solutions/ + assignment/ + tests/public  ->  handout/

`handout/` is generated and committed, never edited by hand; `check` lists stale files.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from assignment import manifest
from grader.authoring import stubs
from grader.judge import markers
from grader.paths import REPOSITORY

HANDOUT = REPOSITORY / "handout"
TEMPLATE = Path(__file__).parent / "handout_template"

# What a student's own runs leave behind: neither copied nor compared.
_LOCAL = {
    *(".venv", "__pycache__", ".pytest_cache", ".ruff_cache", ".mypy_cache", ".git", "backups"),
    *("build", "hardware.local.toml", "roofline.svg", "predictions.jsonl"),
}
_RUFF_OPTIONS = ("--isolated", "--line-length", "100", "--target-version", "py311")
_TEXT = {".py", ".toml", ".md", ".txt", ".html", ".svg", ""}


class HandoutError(Exception):
    """The handout cannot be built; the message says why."""


def build(destination: Path) -> None:
    """Writes the handout into `destination`, and removes files that it no longer has.

    Raises:
        HandoutError: the folder holds something else, or the handout cannot be built.
        ManifestError: the manifest has a mistake, or the tests do not match it.
        StubError: the stub of a reference module cannot be made.
    """
    files = contents()
    present = _files(destination)
    if present and not (destination / "assignment" / "assignment.toml").is_file():
        raise HandoutError(
            f"{destination} is not empty and is no handout; choose another folder, or empty it"
        )
    for name in present - files.keys():
        (destination / name).unlink()
        for folder in (destination / name).relative_to(destination).parents:
            if folder != Path() and not _files(destination / folder):
                shutil.rmtree(destination / folder)
    for name, content in files.items():
        path = destination / name
        if path.is_file() and path.read_bytes() == content:
            continue  # keep its time: a newer pyproject.toml would make `make` set up again
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def check(handout: Path = HANDOUT) -> list[str]:
    """What `build` would change, a line for each file; empty when the handout is in sync."""
    files, present = contents(), _files(handout)
    problems = [f"missing: {name}" for name in sorted(files.keys() - present)]
    problems += [f"unexpected: {name}" for name in sorted(present - files.keys())]
    problems += [
        f"stale: {name}"
        for name in sorted(files.keys() & present)
        if (handout / name).read_bytes().replace(b"\r\n", b"\n") != files[name]
    ]
    return problems


def contents() -> dict[str, bytes]:
    """Every file of the handout, by its path with `/`; the manifest without `work`, for staff."""
    markers.load(REPOSITORY / "tests")
    modules = stub_package(REPOSITORY / "solutions" / "resource_accounting")
    files = _tree(TEMPLATE, "")
    files |= _tree(REPOSITORY / "assignment", "assignment/")
    files[manifest.SOURCE] = re.sub(rb"^(#   )?work .*\n", b"", files[manifest.SOURCE], flags=re.M)
    files |= _tree(REPOSITORY / "tests" / "public", "tests/")
    for name, text in modules.items():
        files[f"resource_accounting/{name}"] = text.encode()
        files[f"assignment/stubs/{name}"] = text.encode()
    files["constraints.txt"] = (REPOSITORY / "constraints.txt").read_bytes()
    files["README.md"] = _fill(files["README.md"].decode()).encode()
    return dict(sorted(files.items()))


def stub_package(package: Path) -> dict[str, str]:
    """The modules that students fill in, as stubs, by file name."""
    messages: dict[str, dict[str, str]] = {}
    for exercise in manifest.load():
        for target in exercise.functions:
            module, _, name = target.partition(".")
            messages.setdefault(module, {}).setdefault(
                name, stubs.message_of(exercise.id, exercise.chapter)
            )
    sources = {p.stem: p.read_text(encoding="utf-8") for p in sorted(package.glob("*.py"))}
    if absent := [name for name in messages if name not in sources]:
        raise HandoutError(
            f"{package} lacks {', '.join(f'{name}.py' for name in absent)}, which exercises name"
        )
    # Stubs are made twice: which imports between modules stay depends on what each stub defines.
    first = {
        name: stubs.stub_module(source, messages.get(name, {}), name=name)
        for name, source in sources.items()
    }
    siblings = {
        name: stubs.kept_names(text)
        for name, text in first.items()
        if name in messages or not stubs.is_empty(text)
    }
    return format_stubs(
        {
            f"{name}.py": stubs.stub_module(
                source, messages.get(name, {}), name=name, siblings=siblings
            )
            for name, source in sources.items()
            if name in siblings or name == "__init__"
        }
    )


def format_stubs(modules: Mapping[str, str]) -> dict[str, str]:
    """Formats stubs, by file name, with ruff, in this repository's style.

    Raises:
        HandoutError: ruff failed.
    """
    with tempfile.TemporaryDirectory(prefix="stubs-") as place:
        for name, source in modules.items():
            (Path(place) / name).write_bytes(source.encode())
        command = [sys.executable, "-m", "ruff", "format", "--no-cache", *_RUFF_OPTIONS, place]
        done = subprocess.run(command, capture_output=True, check=False)
        if done.returncode:
            raise HandoutError(f"ruff cannot format a stub: {done.stderr.decode().strip()}")
        return {name: (Path(place) / name).read_bytes().decode() for name in modules}


def _fill(readme: str) -> str:
    """The README with its comment replaced by the table of exercises."""
    rows = [
        "| exercise | worth | takes | text | command |",
        "|---|---|---|---|---|",
        *(
            f"| {e.title} | {e.worth} | {e.takes} "
            f"| [{e.chapter}](assignment/writeup/{e.chapter}.md) | `make test EX={e.id}` |"
            for e in manifest.load()
        ),
    ]
    place = "<!-- exercises -->"
    if place not in readme:
        raise HandoutError(f"{TEMPLATE / 'README.md'} lacks the line {place}")
    return readme.replace(place, "\n".join(rows))


def _tree(folder: Path, prefix: str) -> dict[str, bytes]:
    return {prefix + name: _read(folder / name) for name in _files(folder)}


def _read(path: Path) -> bytes:
    """A file's content. Text gets line feeds, so every checkout builds the same handout."""
    content = path.read_bytes()
    return content.replace(b"\r\n", b"\n") if path.suffix in _TEXT else content


def _files(folder: Path) -> set[str]:
    return {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file()
        and path.name != "submission.zip"
        and path.suffix != ".pyc"
        and not any(
            part in _LOCAL or part.endswith(".egg-info") for part in path.relative_to(folder).parts
        )
    }
