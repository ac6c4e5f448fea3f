"""How the Makefile sets up .venv: what is installed when, and what an interruption leaves."""

import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from tests.harness.conftest import MAX_WAIT, REPOSITORY, wait_until

# A Python that can only make a .venv with itself and "install": it logs what pip is asked for.
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
esac
"""


class Checkout:
    """A folder with the Makefile and a fake Python."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.venv = folder, folder / ".venv"
        for name in ("Makefile", "pyproject.toml", "constraints.txt"):
            shutil.copy(REPOSITORY / name, folder)
        (folder / "python").write_text(PYTHON)
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
        """The exit status of make."""
        done = subprocess.run(
            [*self.command, target],
            cwd=self.folder,
            capture_output=True,
            timeout=MAX_WAIT,
            check=False,
        )
        return done.returncode

    def installed(self) -> list[str]:
        """What pip was asked to install since the last call."""
        log = self.folder / "log"
        text = log.read_text() if log.exists() else ""
        log.unlink(missing_ok=True)
        return text.splitlines()


@pytest.fixture
def checkout(tmp_path):
    return Checkout(tmp_path)


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


def test_venv_made_by_hand_is_completed(checkout):
    (checkout.venv / "bin").mkdir(parents=True)
    shutil.copy(checkout.folder / "python", checkout.venv / "bin" / "python")
    (checkout.venv / "kept").touch()
    assert checkout.make(".venv/ready") == 0
    assert checkout.installed() == ["."]
    assert (checkout.venv / "kept").exists()


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
