"""`make site` of the handout: the text's figures drawn with a student's functions."""

import shutil
import sys

import pytest

from assignment import figures
from assignment.student import own_figures
from grader.authoring.figures import matches_pin
from tests.harness import warm
from tests.harness.assignment.students import REFERENCE, environment


def run_site(folder, python=("-m", "assignment", "site")):
    done = warm.run(*python, cwd=folder, env=environment())
    assert "Traceback" not in done.stdout + done.stderr
    return done.returncode, done.stdout + done.stderr


def test_untouched_handout_names_a_stub_for_each_figure(shared_workspace):
    status, said = run_site(shared_workspace)
    assert status == 0, said
    for name in figures.FIGURES:
        assert f"  {name:<18}not written yet (" in said
    assert "not written yet (zero_bytes, resource_accounting/budget.py:" in said
    assert said.endswith("Your figures, beside the text's: build/site/index.html\n")
    page = (shared_workspace / "build" / "site" / "index.html").read_text(encoding="utf-8")
    assert f"0 of {len(figures.FIGURES)} are drawn" in page
    assert page.count('<img src="text/') == page.count('class="none"') == len(figures.FIGURES)
    assert 'src="yours/' not in page


def test_page_shows_each_figure_beside_the_texts(shared_workspace):
    for path in REFERENCE.glob("*.py"):
        shutil.copy(path, shared_workspace / "resource_accounting")
    status, said = run_site(shared_workspace)
    assert status == 0, said
    folder = shared_workspace / "build" / "site"
    page = (folder / "index.html").read_text(encoding="utf-8")
    for name in figures.FIGURES:
        assert f'src="yours/{name}.svg"' in page
        assert (folder / "yours" / f"{name}.svg").read_text(encoding="utf-8").startswith("<?xml")
        assert (folder / "text" / f"{name}.svg").is_file()
        assert not matches_pin() or f"  {name:<18}like the text's\n" in said


def test_missing_matplotlib_is_named(shared_workspace):
    code = "import sys; sys.modules['matplotlib'] = None; import importlib.util as u; "
    code += "u.find_spec = lambda name: None; from assignment import __main__; "
    code += "sys.exit(__main__.main(['site']))"
    status, said = run_site(shared_workspace, ("-c", code))
    assert status == 2
    assert 'error: the figures need matplotlib: python -m pip install -e ".[bench]"' in said


# Functions that do not do what they should

SOUND = "def step_seconds(*args): return dict.fromkeys(('compute', 'communication'), 1.0)\n"


@pytest.fixture
def hidden(tmp_path, monkeypatch):
    """Draws the figure `hidden` with this code as communication.py."""

    def hidden(code, seconds=600.0):
        package = tmp_path / "own_package"
        package.mkdir()
        (package / "__init__.py").write_text("", encoding="utf-8")
        (package / "communication.py").write_text(code, encoding="utf-8")
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.setattr(own_figures, "_ROOT", tmp_path)
        try:
            return own_figures.draw("own_package", "communication", "hidden", "", seconds)
        finally:
            for name in [name for name in sys.modules if name.startswith("own_package")]:
                del sys.modules[name]

    return hidden


@pytest.mark.parametrize(
    ("code", "problem"),
    [
        (
            "def step_seconds(*args):\n    raise ValueError('no\\n tokens')\n",
            "raises ValueError: no tokens (step_seconds, own_package/communication.py:2)",
        ),
        (
            "import sys\ndef step_seconds(*args):\n    sys.exit()\n",
            "raises SystemExit (step_seconds, own_package/communication.py:3)",
        ),
        ("def (\n", "communication.py has a syntax error in line 1"),
        ("import nothing_of_this_name\n", "raises ModuleNotFoundError: No module named"),
        ("", "cannot be drawn: AttributeError: module 'own_package.communication' has no"),
        (SOUND, "cannot be drawn: AttributeError: module 'own_package.communication' has no"),
        (
            "def step_seconds(*args):\n    return None\n",
            "The last call, communication.step_seconds(128, 8000000000, 0, 989500000000000.0, "
            "450000000000.0), gave None",
        ),
    ],
    ids=["raises", "exits", "syntax", "import", "empty", "half", "None"],
)
def test_why_a_figure_cannot_be_drawn_is_one_line(hidden, code, problem):
    own = hidden(code)
    assert problem in own.problem
    assert "\n" not in own.problem
    assert own.svg == b""
    assert own.kind == "none"


def test_endless_loop_ends_at_the_limit(hidden):
    own = hidden("def step_seconds(*args):\n    while True:\n        pass\n", seconds=0.5)
    assert own.problem.startswith("runs for more than 0.5 seconds (step_seconds, own_package/")


def test_wrong_numbers_are_not_like_the_texts(hidden):
    code = "from solutions.resource_accounting.communication import *\n"
    own = hidden(code + "def hiding_tokens(*args): return 500\n")
    assert own.kind == "other"
    assert "not like the text's" in own.verdict
