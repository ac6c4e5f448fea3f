"""Runs the site's scripts in node, where there is one."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from grader.authoring import site
from tests.harness.conftest import MAX_WAIT

SCRIPTS = Path(site.__file__).parent

needs_node = pytest.mark.skipif(not shutil.which("node"), reason="node is not installed")


def evaluate(expression: str, *scripts: str, **values: Any) -> Any:
    """The value of a JavaScript expression after scripts, which see `values` as constants."""
    constants = (f"const {name} = {json.dumps(value)};" for name, value in values.items())
    program = "\n".join([*constants, *scripts, f"console.log(JSON.stringify({expression}));"])
    done = subprocess.run(
        ["node", "-"],
        input=program,
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=MAX_WAIT,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
