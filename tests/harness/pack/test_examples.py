"""The examples for clusters and for runners with a CUDA device name what there is."""

import re
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

from grader import cli
from tests.harness.conftest import REPOSITORY

EXAMPLES = sorted(path for path in (REPOSITORY / "grader").glob("*/examples/*") if path.is_file())


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_options_of_an_example_exist(example: Path):
    """In commands of the grader, and in what a container of it gets"""
    text = "\n".join(
        line for line in example.read_text().splitlines() if not line.lstrip().startswith("#")
    )
    text = re.sub(r"\\\n| *\n(?= {14})", " ", text)
    commands = re.findall(r"bin/grader\W+(\w+)(.*)", text)
    commands += [("grade", line) for line in re.findall(r"args: (.*)", text)]
    assert commands
    for name, rest in commands:
        shown = CliRunner().invoke(cli.build_app(), [name, "--help"], env={"COLUMNS": "200"}).output
        for option in re.findall(r"--[a-z-]+", rest):
            assert option in shown, f"grader {name} has no {option}"
    assert any(option in text for option in ("--timing", "--shard", "--jobs"))


@pytest.mark.parametrize(
    "script", [e for e in EXAMPLES if e.suffix == ".sbatch"], ids=lambda path: path.name
)
def test_batch_script_asks_for_its_arguments(script):
    done = subprocess.run(["bash", str(script)], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert re.search("name a (submission|folder of submissions)", done.stderr)
