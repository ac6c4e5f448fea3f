"""README.md, Makefile and pyproject.toml match the repository."""

import fnmatch
import os
import re
import tomllib
from collections import Counter
from pathlib import Path

import pytest

from grader.authoring import pictures
from tests.campaigns.__main__ import CAMPAIGNS
from tests.harness.conftest import REPOSITORY

README = (REPOSITORY / "README.md").read_text(encoding="utf-8")
MAKEFILE = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
IGNORED = [".git", *(REPOSITORY / ".gitignore").read_text().split()]

TOP_LEVEL = {
    *("assignment", "solutions", "handout", "tests", "grader"),
    *("README.md", "CONTRIBUTING.md", "CHANGELOG.md"),
    *("Makefile", "pyproject.toml", "constraints.txt"),
    *(".ci", ".gitignore", ".pre-commit-config.yaml"),
}


def ignored(path: Path) -> bool:
    """Whether .gitignore matches a path; understands simple patterns only."""
    for pattern in IGNORED:
        name = path.as_posix() if pattern.startswith("/") else path.name
        if fnmatch.fnmatch(name, pattern.strip("/")):
            return True
    return False


def tree() -> tuple[set[str], list[Path]]:
    """Every folder that holds files, and every file, relative to the root."""
    folders, files = set(), []
    for folder, names, found in os.walk(REPOSITORY):
        here = Path(folder).relative_to(REPOSITORY)
        names[:] = [name for name in names if not ignored(here / name)]
        files += [here / name for name in found if not ignored(here / name)]
        folders |= {here.as_posix()} if found or names else set()
    return folders - {"."}, files


def layout() -> set[str]:
    """The folders in the README's layout, whose indentation gives the parents."""
    block = README.split("## Layout")[1].split("```")[1]
    listed, holders = set(), []
    for line in block.strip().splitlines():
        indent = len(line) - len(line.lstrip())
        name = line.split()[0].rstrip("/")
        holders = [*holders[: indent // 2], name]
        listed.add("/".join(holders))
    return listed


def blocks(language: str) -> list[str]:
    """The README's fenced blocks of one language; "" for blocks without a language."""
    found = re.findall(r"^```(\w*)\n(.*?)^```$", README, re.M | re.S)
    return [text for name, text in found if name == language]


def targets_of(text: str) -> set[str]:
    """The make targets that a text tells people to run."""
    return {
        word
        for line in re.findall(r"(?:^|`)make ((?:[\w=./]+ ?)+)", text, re.M)
        for word in line.split()
        if "=" not in word
    }


def test_top_level_is_what_is_listed():
    paths = [path.relative_to(REPOSITORY) for path in REPOSITORY.iterdir()]
    assert {path.name for path in paths if not ignored(path)} == TOP_LEVEL


def test_layout_lists_and_describes_every_folder():
    own = {name for name in tree()[0] if name.count("/") <= 1}
    own -= {name for name in own if name.startswith("handout/")}
    assert layout() == own
    for line in README.split("## Layout")[1].split("```")[1].strip().splitlines():
        assert len(line.split(maxsplit=1)) == 2 or line.startswith("tests/"), line


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "grader/README.md"])
def test_every_make_target_and_campaign_that_is_named_exists(page):
    text = (REPOSITORY / page).read_text(encoding="utf-8")
    makefiles = MAKEFILE + (REPOSITORY / "handout" / "Makefile").read_text(encoding="utf-8")
    rules = set(re.findall(r"^([\w-]+):(?!=)", makefiles, re.M))
    assert set() < targets_of(text) <= rules
    assert set() < set(re.findall(r"NAME=([\w-]+)", text)) <= CAMPAIGNS.keys()


def test_help_lists_every_target():
    shown = set(re.findall(r'@echo "make ([\w-]+)', MAKEFILE))
    assert shown | {"help", "lint", "types", "sync"} == set(
        re.search(r"^\.PHONY: (.*)$", MAKEFILE, re.M)[1].split()
    )


def test_readme_shows_a_test_that_exists():
    (example,) = blocks("python")
    hidden = (REPOSITORY / "tests" / "hidden").glob("test_*.py")
    assert any(example in path.read_text(encoding="utf-8") for path in hidden)


def test_readme_shows_the_grade_of_the_default_submission():
    default = re.search(r"^SUBMISSION = (.*)$", MAKEFILE, re.M)[1]
    assert REPOSITORY / default == pictures.SAMPLE
    shown = re.findall(r"^!\[[^]]+\]\((.*)\)$", README, re.M)
    expected = [pictures.FOLDER / name for name in ("report.png", "terminal.svg")]
    assert [REPOSITORY / name for name in shown] == expected
    assert expected[0].is_file()
    assert pictures.SAMPLE.name in expected[1].read_text(encoding="utf-8")


def test_ci_runs_the_commands_of_the_readme():
    commands = [line for block in blocks("sh") for line in block.splitlines()]
    assert {"grade", "test", "verify", "check"} <= targets_of("\n".join(commands))
    assert '"```sh"' in (REPOSITORY / ".ci" / "run").read_text(encoding="utf-8")
    assert os.access(REPOSITORY / ".ci" / "run", os.X_OK)


def test_pre_commit_fetches_nothing_and_runs_what_check_runs():
    config = (REPOSITORY / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    assert re.findall(r"repo: (.*)", config) == ["local"]
    entries = set(re.findall(r"entry: make (\w+)", config))
    assert entries == set(re.search(r"^check: (.*)$", MAKEFILE, re.M)[1].split())


def test_every_dependency_has_an_exact_version():
    lines = (REPOSITORY / "constraints.txt").read_text(encoding="utf-8").split()
    assert all(re.fullmatch(r"[\w.-]+==[\w.]+", line) for line in lines)  # no local suffix: +cpu
    assert "torch==2.13.0" in lines
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"].values()
    wanted = [*project["dependencies"], *(name for extra in extras for name in extra)]
    pinned = {line.partition("==")[0].lower().replace("_", "-") for line in lines}
    assert {re.match(r"[\w-]+", name)[0].lower() for name in wanted} <= pinned


# Split, so that this file does not find itself.
MACHINE = re.compile(
    "|".join(["/wo" + "rk/", "/ho" + r"me/\w", "/op" + "t/", "/tm" + "p/w/"])
    + "|file:"
    + "//|pypi"
    + r"\.org|index"
    + "-url|download\\.py"
    + "torch"
)


def test_no_file_names_a_machine_or_a_registry():
    found = []
    for path in tree()[1]:
        text = (REPOSITORY / path).read_bytes().decode("utf-8", errors="replace")
        found += [f"{path}: {m[0]}" for m in MACHINE.finditer(text)]
    assert not found


def test_a_race_has_two_thirds_of_the_points_beside_hidden_tests():
    """As in grader/README.md and the text"""

    def weights(folder):
        text = (REPOSITORY / "tests" / folder / "test_performance.py").read_text(encoding="utf-8")
        found = Counter()
        for name, weight in re.findall(r'^@.*exercise\("(\w+)"(?:, weight=(\d+))?\)', text, re.M):
            found[name] += int(weight or 1)
        return found

    hidden, timing = weights("hidden"), weights("timing")
    assert len(hidden) == 3
    assert {name: timing[name] for name in hidden} == {name: 2 * hidden[name] for name in hidden}
