"""A student's folder and environment, for the tests of what students run."""

import io
import os
import re
import shutil

from rich.console import Console

from assignment.student import states
from grader.authoring import handout
from tests.harness import warm
from tests.harness.conftest import REPOSITORY

REFERENCE = REPOSITORY / "solutions" / "resource_accounting"


def environment(**more):
    """The variables of a terminal of 80 columns, without what pytest and make set here.

    Students have no hypothesis, whose plugin takes a second to load.
    """
    unset = ("PYTEST", "MAKE", "PYTHONDONTWRITEBYTECODE")
    outer = {name: value for name, value in os.environ.items() if not name.startswith(unset)}
    return outer | {"COLUMNS": "80", "PYTEST_ADDOPTS": "-p no:hypothesispytest"} | more


def copy_handout(folder):
    """Makes a handout; to build one takes seconds, and `test_handout.py` tells if it is stale."""
    left = shutil.ignore_patterns(*handout._LOCAL)  # by a run in the repository's own
    shutil.copytree(handout.HANDOUT, folder, ignore=left)


def set_limit(folder, seconds):
    """Gives each test of a handout another time limit, so that endless loops end soon."""
    path = folder / "assignment" / "assignment.toml"
    text = path.read_text(encoding="utf-8")
    path.write_text(re.sub(r"(?m)^seconds = \S+", f"seconds = {seconds}", text), encoding="utf-8")


def run_in(folder, *arguments, **variables):
    """Runs `python -m ...` in a folder as a student would."""
    return warm.run("-m", *arguments, cwd=folder, env=environment(**variables))


def said_of_states(folder):
    """What `submit` says of the last runs, without the imports that it tries."""
    shown = Console(file=io.StringIO(), width=80)
    states.show(shown, folder, folder / "resource_accounting")
    return shown.file.getvalue()
