"""How the Makefile sets up .venv: what is installed when, and what an interruption leaves."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.harness.conftest import MAX_WAIT, REPOSITORY, wait_until

# A Python that makes a .venv with itself and "installs": it logs what pip is asked for.
PYTHON = """\
#!/bin/sh
case "$*" in
  "-m venv .venv") mkdir -p .venv/bin && cp "$0" .venv/bin/python ;;
  "-m pip install"*)
    echo "$*" | sed 's/.*-e //' >>log
    [ ! -e fails ] || exit 1
    if [ -e hangs ]; then
      trap 'exit 1' INT
      touch hanging
      while :; do sleep 0.05; done
    fi ;;
  -c*) exec @PYTHON@ "$@" ;;
esac
"""


class Checkout:
    """A folder with the Makefile and a fake Python."""

    def __init__(self, folder: Path, makefile: str = "Makefile") -> None:
        self.folder, self.venv, self.said = folder, folder / ".venv", ""
        for name in (makefile, "pyproject.toml", "constraints.txt"):
            shutil.copy(REPOSITORY / name, folder)
        (folder / "python").write_text(PYTHON.replace("@PYTHON@", sys.executable))
        (folder / "python").chmod(0o755)
        self.change_inputs(before=100)
        self.command = ["make", f"PYTHON={folder / 'python'}"]

    def change_inputs(self, before: float) -> None:
        """Dates the inputs of the setup some seconds before the existing stamps."""
        stamps = [path.stat().st_mtime for path in self.venv.glob("[rd]*") if path.is_file()]
        when = min(stamps, default=(self.folder / "Makefile").stat().st_mtime) - before
        for name in ("pyproject.toml", "constraints.txt"):
            os.utime(self.folder / name, (when, when))

    def make(self, target: str) -> int:
        """The exit status of make. What it says is in `said`."""
        done = subprocess.run(
            [*self.command, target],
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=MAX_WAIT,
            check=False,
        )
        self.said = done.stdout + done.stderr
        return done.returncode

    def installed(self) -> list[str]:
        """What pip was asked to install since the last call."""
        log = self.folder / "log"
        text = log.read_text() if log.exists() else ""
        log.unlink(missing_ok=True)
        return text.splitlines()


@pytest.fixture
def checkout(tmp_path, request):
    return Checkout(tmp_path, getattr(request, "param", "Makefile"))


def test_each_target_installs_what_it_needs_and_only_once(checkout):
    assert checkout.make(".venv/ready") == 0
    assert checkout.installed() == ["."]
    assert checkout.make(".venv/docs") == 0
    assert checkout.installed() == [".[docs]"]
    assert checkout.make(".venv/dev") == 0
    assert checkout.installed() == [".[dev]"]
    for target in (".venv/ready", ".venv/dev", ".venv/docs"):
        assert checkout.make(target) == 0
    assert checkout.installed() == []


@pytest.mark.parametrize(
    ("target", "stamps"),
    [
        ("grade", {".venv/ready"}),
        ("site", {".venv/docs"}),
        ("check", {".venv/dev", ".venv/docs"}),
        ("test", {".venv/dev", ".venv/docs"}),
    ],
)
def test_targets_need_these_stamps(checkout, target, stamps):
    done = subprocess.run(
        [*checkout.command, "--dry-run", "--print-data-base", target],
        cwd=checkout.folder,
        capture_output=True,
        text=True,
        check=False,
    )
    rules = dict(line.split(":", 1) for line in done.stdout.splitlines() if line.count(":") == 1)
    needed, todo = set(), [target]
    while todo:
        for name in rules.get(todo.pop(), "").split():
            needed.add(name) if name.startswith(".venv/") else todo.append(name)
    assert needed == stamps


def test_changed_inputs_install_again_into_the_same_folder(checkout):
    assert checkout.make(".venv/dev") == 0
    checkout.installed()
    (checkout.venv / "kept").touch()
    checkout.change_inputs(before=-1)
    assert checkout.make(".venv/ready") == 0
    assert checkout.installed() == ["."]
    assert (checkout.venv / "kept").exists()
    checkout.change_inputs(before=100)
    assert checkout.make(".venv/dev") == 0
    assert checkout.installed() == [".[dev]"]


def folder(venv: Path) -> Path:
    venv.mkdir()
    return venv


def link(venv: Path) -> Path:
    venv.symlink_to("elsewhere")
    return folder(venv.with_name("elsewhere"))


def link_to_ours(venv: Path) -> Path:
    (link(venv) / "ready").touch()
    os.utime(venv / "ready", (0, 0))
    return venv.with_name("elsewhere")


@pytest.mark.parametrize("checkout", ["Makefile", "handout/Makefile"], indirect=True)
@pytest.mark.parametrize("made", [folder, link, link_to_ours])
def test_venv_that_make_did_not_make_is_left_alone(checkout, made):
    """Once a student's own packages were removed, also where a link led"""
    place = made(checkout.venv)
    (place / "kept").touch()
    before = sorted(place.iterdir())
    assert checkout.make(".venv/ready") != 0
    assert ".venv was not made by make, which leaves it alone." in checkout.said
    assert sorted(place.iterdir()) == before
    assert checkout.installed() == []


@pytest.mark.parametrize("checkout", ["handout/Makefile"], indirect=True)
def test_handout_keeps_what_a_student_installed(checkout):
    assert checkout.make(".venv/ready") == 0
    (checkout.venv / "kept").touch()
    checkout.change_inputs(before=-1)
    assert checkout.make(".venv/ready") == 0
    assert checkout.installed() == [".", "."]
    assert (checkout.venv / "kept").exists()
    checkout.change_inputs(before=-1)
    (checkout.folder / "fails").touch()
    assert checkout.make(".venv/ready") != 0
    (checkout.folder / "fails").unlink()
    assert checkout.make(".venv/ready") == 0
    assert not (checkout.venv / "kept").exists()
    assert not (checkout.venv / "unfinished").exists()


def test_failed_extra_leaves_the_rest_ready(checkout):
    """Without a network, for example, `make grade` still works after a failed `make site`"""
    assert checkout.make(".venv/ready") == 0
    (checkout.folder / "fails").touch()
    assert checkout.make(".venv/docs") != 0
    checkout.installed()
    (checkout.folder / "fails").unlink()
    assert checkout.make(".venv/ready") == 0
    assert checkout.installed() == []
    assert checkout.make(".venv/docs") == 0
    assert checkout.installed() == [".[docs]"]


@pytest.mark.parametrize("shell", ["sh", "bash"])  # bash goes on if pip handles the signal itself
@pytest.mark.parametrize("target", [".venv/ready", ".venv/dev"])
def test_interrupted_setup_starts_with_a_new_venv(checkout, target, shell):
    if target != ".venv/ready":
        assert checkout.make(".venv/ready") == 0
    (checkout.folder / "hangs").touch()
    making = subprocess.Popen(
        [*checkout.command, f"SHELL={shutil.which(shell)}", target],
        cwd=checkout.folder,
        start_new_session=True,
        # A background job, in which the tests may run, ignores it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert wait_until((checkout.folder / "hanging").exists)
    os.killpg(making.pid, signal.SIGINT)
    assert making.wait(MAX_WAIT) != 0
    (checkout.folder / "hangs").unlink()
    (checkout.venv / "half").touch()
    checkout.installed()
    assert checkout.make(target) == 0
    assert checkout.installed() == [".", ".[dev]"][: 1 + (target == ".venv/dev")]
    assert not (checkout.venv / "half").exists()


def test_what_a_test_starts_is_this_folders_code(tmp_path):
    """Whatever is installed: tests of a copy, with a copy of the .venv, started the original"""
    done = subprocess.run(
        [sys.executable, "-S", "-P", "-c", "import grader; print(grader.__file__)"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == f"{REPOSITORY}/grader/__init__.py\n"
