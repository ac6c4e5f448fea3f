"""`make train`: a training with own functions is killed, and goes on from its checkpoint."""

import math
import re
import shutil

import pytest

from assignment import __main__ as commands
from assignment.material.small_transformer import Sizes
from assignment.student import predict
from assignment.student.train import compared
from tests.harness import warm
from tests.harness.assignment.students import environment, run_in
from tests.harness.conftest import REPOSITORY

REFERENCE = "solutions.resource_accounting"
SIZES = Sizes(vocab=256, context=8, layers=1, d_model=16, heads=2, d_ff=32, tied=True, batch=2)
# Processes fork from one that has imported torch, and what the machine does decides nothing.
CODE = """
from pathlib import Path

from rich.console import Console

from assignment.material.small_transformer import Sizes
from assignment.student import train

train.START, train._speeds = "fork", lambda: (1e11, 1e10, {bf16})
{first}
console = Console(width=80, highlight=False, soft_wrap=True)
folder = Path({folder!r})
try:
    train.run({package!r}, folder, folder / "predictions.jsonl", console, 0.0, {sizes!r})
except train.UserError as error:
    print("error:", error)
"""


@pytest.fixture
def trained(tmp_path):
    """What a training says that uses the reference, with changes of its modules."""

    def trained(bf16=False, first="", **changes):
        package = REFERENCE
        if changes:
            package = "own_package"
            (tmp_path / package).mkdir()
            (tmp_path / package / "__init__.py").touch()
            for path in (REPOSITORY / REFERENCE.replace(".", "/")).glob("[a-z]*.py"):
                code = f"from {REFERENCE}.{path.stem} import *\n{changes.get(path.stem, '')}"
                (tmp_path / package / path.name).write_text(code, encoding="utf-8")
        folder = tmp_path / "files"
        code = CODE.format(package=package, folder=str(folder), bf16=bf16, first=first, sizes=SIZES)
        more = environment(PYTHONPATH=str(tmp_path))
        done = warm.run("-c", code, cwd=REPOSITORY, env=more)
        assert "Traceback" not in done.stdout + done.stderr
        assert done.returncode == 0, done.stderr
        assert max(map(len, done.stdout.splitlines())) <= 80 + len(str(folder))
        return done.stdout

    return trained


def rows_of(said):
    """The lines of the last table, by name and chapter."""
    lines = said.partition(" counted ")[2].splitlines()
    cells = [re.split(r" {2,}", line.strip()) for line in lines[1:11]]
    return {(name, chapter): values for name, *values, chapter in cells}


def test_reference_resumes_bit_for_bit_and_counts_exactly(trained, tmp_path):
    said = trained()
    assert "Killed by SIGKILL at step 30. A new process resumes at 20:" in said
    assert "Bit for bit: the losses of these 10 steps are the same" in said
    assert "take their place" not in said
    assert f"{'predicted':>12}" in said
    rows = rows_of(said)
    exact = [name for (name, _), (*_, error) in rows.items() if error == "exact"]
    assert exact == [
        *("parameters", "FLOPs a step", "B of parameters", "B of gradients", "B of moments"),
    ]
    assert len(rows) == 10
    assert "The model writes:\n\n    def " in said
    files = {path.name for path in (tmp_path / "files").iterdir()}
    assert files == {"tokens.bin", "checkpoint.pt", "loss.svg"}


WITHOUT_MATPLOTLIB = """
import importlib.util
found = importlib.util.find_spec
importlib.util.find_spec = lambda name: None if name == "matplotlib" else found(name)
"""
STUB = "\ndef {}(*args, **kwargs): raise NotImplementedError('Exercise')\n"


def test_stubs_are_named_and_replaced_also_without_matplotlib(trained):
    said = trained(
        first=WITHOUT_MATPLOTLIB,
        data=STUB.format("write_tokens"),
        optimizers=STUB.format("AdamW"),
        checkpoint=STUB.format("load_checkpoint"),
        ledger=STUB.format("model_modules"),
        prediction=STUB.format("predict_step"),
    )
    assert (
        "Not written yet, so torch's take their place, or none: AdamW, load_checkpoint,\n"
        "write_tokens.\n"
        "Without a checkpoint the training is not killed.\n"
    ) in said
    assert "Killed" not in said
    assert "ledger: not written yet (model_modules, own_package/ledger.py:3)" in said
    assert rows_of(said)["parameters", "ledger"] == ["–", "6,480", "–"]
    assert rows_of(said)["B of the checkpoint", "budget"][1:] == ["–", "–"]
    assert f"{'predicted':>12}" not in said
    assert "needs matplotlib" in said
    assert "The model writes:" in said


def test_checkpoint_without_random_state_is_seen_and_a_committed_prediction(trained, tmp_path):
    numbers = {"parameters": 1, "flops": 1, "peak_bytes": 12345, "seconds": 0.5}
    (tmp_path / "files").mkdir()
    file = tmp_path / "files" / "predictions.jsonl"
    committed, _ = predict.commit(file, SIZES, {}, numbers)
    said = trained(
        bf16=True,
        checkpoint="import torch\n_load = load_checkpoint\n"
        "def load_checkpoint(*args):\n    step = _load(*args)\n    torch.manual_seed(1)\n"
        "    return step - 1\n",
    )
    assert "load_checkpoint returned 19, but 20 steps were saved." in said
    assert "NOT bit for bit: the loss of step 21 was 5." in said
    assert "Parameters or random state are" in said
    assert "python -m pytest --ex checkpoint_roundtrip" in " ".join(said.split())
    rows = rows_of(said)
    assert rows["B at the peak", "prediction"][0] == "12,345"
    assert rows["seconds a step", "prediction"][0] == "0.5"
    assert f"You committed the lines of `prediction` on {committed.time}." in said


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"optimizers": "class AdamW(AdamW):\n    def step(self):\n        return 1 / 0\n"},
            "raises ZeroDivisionError: division by zero (step, own_package/optimizers.py:4)",
        ),
        (
            {"data": STUB.format("get_batch")},
            "not written yet (get_batch, own_package/data.py:3)",
        ),
        (
            {"data": "def get_batch(*args):\n    return None\n"},
            "data.get_batch does not do what its docstring says: TypeError: ",
        ),
        (
            {"training": "_train = train\ndef train(*args):\n    return _train(*args)[1:]\n"},
            "training cannot go on: TypeError: training.train gave [], not 1 floats",
        ),
        (
            {"training": "import os\ndef train(*args):\n    os._exit(3)\n"},
            "the process that trains ended, with status 3",
        ),
    ],
    ids=["raises", "not written", "gives None", "gives too little", "ends"],
)
def test_why_training_cannot_go_on_is_one_line(trained, changes, message):
    assert f"error: {message}" in trained(**changes)


def test_losses_are_compared_to_the_last_bit():
    assert compared(5, [1.0, math.nan], [1.0, math.nan, 2.0]).startswith("Bit for bit: ")
    said = compared(5, [1.0, 2.0], [1.0, math.nextafter(2.0, 3.0)])
    assert said.startswith("NOT bit for bit: the loss of step 7 was 2.0 and is now 2.00000")
    assert "The optimizer's state is not as saved" in said


@pytest.mark.parametrize("minutes", ["0", "-1", "nan", "601"])
def test_minutes_that_cannot_be_are_refused(minutes, capsys):
    assert commands.main(["train", "--", minutes]) == 2
    assert "more than 0 minutes" in capsys.readouterr().err


@pytest.mark.long
def test_command_trains_in_processes_of_its_own(workspace):
    """As a student starts it: new Pythons, which import torch"""
    for path in (REPOSITORY / REFERENCE.replace(".", "/")).glob("*.py"):
        shutil.copy(path, workspace / "resource_accounting")
    done = run_in(workspace, "assignment", "train", "0.001", OMP_NUM_THREADS="1")
    assert done.returncode == 0, done.stderr
    assert "Bit for bit: the losses of these 10 steps are the same" in done.stdout
    assert "The loss: build/train/loss.svg\n" in done.stdout
