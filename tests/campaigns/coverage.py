"""Runs the hidden tests on the reference: fails unless each line and branch is executed."""

import subprocess
import sys

from tests.harness.container import REPOSITORY

COVERAGE = (sys.executable, "-m", "coverage")

if __name__ == "__main__":
    (REPOSITORY / "build").mkdir(exist_ok=True)  # for the file of what was executed
    for command in (("run", "-m", "pytest", "-q", "tests/hidden"), ("report",)):
        if status := subprocess.run([*COVERAGE, *command], cwd=REPOSITORY, check=False).returncode:
            sys.exit(status)
