"""The examples for runners with a CUDA device name what there is."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

from grader import cli
from tests.harness.conftest import REPOSITORY

EXAMPLES = sorted((REPOSITORY / "grader" / "pack" / "examples").iterdir())


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_options_of_an_example_exist(example: Path):
    """In commands of the grader, and in what a container of it gets"""
    text = "\n".join(
        line for line in example.read_text().splitlines() if not line.lstrip().startswith("#")
    )
    commands = re.findall(r"bin/grader (\w+)(.*)", text)
    commands += [("grade", line) for line in re.findall(r"args: (.*)", text)]
    assert commands
    for name, rest in commands:
        shown = CliRunner().invoke(cli.build_app(), [name, "--help"], env={"COLUMNS": "200"}).output
        for option in re.findall(r"--[a-z-]+", rest):
            assert option in shown, f"grader {name} has no {option}"
    assert "--timing" in text


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_batch_script_asks_for_its_arguments():
    script = REPOSITORY / "grader" / "pack" / "examples" / "grade.sbatch"
    done = subprocess.run(["bash", str(script)], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "name a submission" in done.stderr
