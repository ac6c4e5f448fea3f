"""`make predict`: the prediction is written down before anything runs, and stays as it was."""

import io
import json
from types import SimpleNamespace

import pytest
from rich.console import Console

from assignment.material.small_transformer import GPT2, SMALL
from assignment.student import predict
from assignment.student.verbs import UserError
from solutions.resource_accounting import prediction
from tests.harness.conftest import REPOSITORY

TINY = ["vocab=50", "context=6", "layers=1", "d_model=12", "heads=3", "d_ff=20", "batch=2"]


@pytest.fixture(autouse=True)
def no_clock(monkeypatch):
    """Speeds that are not measured: what the machine does decides nothing here."""
    roofs = SimpleNamespace(flops=1e11, bandwidth=1e10)
    monkeypatch.setattr(predict, "measured_roofs", lambda device: roofs)
    monkeypatch.setattr(predict, "timed", lambda function, *args, **kwargs: function() and 0.25)


def with_step(predict_step):
    """A student's package with this function."""
    return SimpleNamespace(prediction=SimpleNamespace(predict_step=predict_step))


def student(**changes):
    return with_step(lambda **given: prediction.predict_step(**given) | changes)


def said_by(asked, file, *words, width=80):
    text = io.StringIO()
    console = Console(file=text, width=width, highlight=False, soft_wrap=True)
    predict.run(asked, words or TINY, console, file)
    return text.getvalue()


def test_right_predictions_are_exact(tmp_path):
    said = said_by(student(), tmp_path / "predictions.jsonl")
    rows = {line.split("  ")[0]: line.split() for line in said.splitlines()}
    assert rows["parameters"][-2:] == ["exact", "full"]
    assert rows["FLOPs"][-2:] == ["exact", "full"]
    assert rows["peak bytes"][-1] == "full"
    assert rows["seconds"][-1] == "never"
    assert "0.25" in rows["seconds"]
    assert max(map(len, said.splitlines())) <= 80


@pytest.mark.parametrize(
    ("name", "factor", "marks"),
    [
        ("parameters", 1.001, "none"),
        ("flops", 1.001, "part"),
        ("flops", 0.89, "none"),
        ("peak_bytes", 1.04, "full"),
        ("peak_bytes", 0.76, "part"),
        ("peak_bytes", 1.26, "none"),
    ],
)
def test_errors_earn_what_the_tests_give(name, factor, marks):
    assert predict.marks(name, 10**9 * factor, 10**9) == marks
    assert predict.marks(name, 10**9, 10**9) == "full"


def test_the_prediction_is_written_before_anything_is_built(tmp_path, monkeypatch):
    file, order = tmp_path / "predictions.jsonl", []

    def predict_step(**given):
        order.append("asked")
        assert not file.exists()
        return prediction.predict_step(**given)

    def count_step(*args):
        order.append("counted")
        assert len(file.read_text(encoding="utf-8").splitlines()) == 1
        raise KeyboardInterrupt

    monkeypatch.setattr(predict, "count_step", count_step)
    with pytest.raises(KeyboardInterrupt):
        said_by(with_step(predict_step), file)
    assert order == ["asked", "asked", "counted"]
    (line,) = file.read_text(encoding="utf-8").splitlines()
    assert json.loads(line)["predicted"]["parameters"] > 0


def test_the_first_prediction_stays_beside_a_new_one(tmp_path):
    file = tmp_path / "predictions.jsonl"
    first = said_by(student(peak_bytes=12345), file)
    assert "12,345" in first
    assert "none" in first
    said_by(student(peak_bytes=1), file, *TINY, "layers=2")  # of other sizes
    again = said_by(student(), file)
    assert "12,345" in again
    assert "first" in again
    assert max(map(len, again.splitlines())) <= 80
    same = said_by(student(peak_bytes=12345), file)
    assert "Your first prediction" not in same
    assert len(file.read_text(encoding="utf-8").splitlines()) == 4


@pytest.mark.parametrize("change", ["edit", "cut", "swap", "junk", "no text"])
def test_a_changed_file_is_refused(tmp_path, change):
    file = tmp_path / "predictions.jsonl"
    for number in (1, 2, 3):
        said_by(student(peak_bytes=number), file)
    lines = file.read_text(encoding="utf-8").splitlines()
    lines = {
        "edit": [lines[0].replace('"peak_bytes": 1', '"peak_bytes": 9'), *lines[1:]],
        "cut": lines[1:],
        "swap": [lines[0], lines[2], lines[1]],
        "junk": [*lines, "[]"],
        "no text": [*lines, "\udcff"],
    }[change]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8", errors="surrogateescape")
    with pytest.raises(UserError, match=r"predictions\.jsonl, line \d, is not as it was writ"):
        said_by(student(), file)
    text = file.read_text(encoding="utf-8", errors="surrogateescape")
    assert text.splitlines() == lines


def raising(error):
    def predict_step(**given):
        raise error

    return with_step(predict_step)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (raising(NotImplementedError()), "predict_step is not written yet"),
        (raising(ZeroDivisionError("division by zero")), "ZeroDivisionError: division by zero"),
        (student(flops=None), "no number for 'flops'"),
        (student(seconds=float("nan")), "no number for 'seconds'"),
        (student(flops=10**5000), "no number for 'flops'"),
        (with_step(lambda **given: None), "no number for 'parameters': None"),
    ],
)
def test_what_is_no_prediction_is_not_committed(tmp_path, asked, message):
    with pytest.raises(UserError, match=message):
        said_by(asked, tmp_path / "predictions.jsonl")
    assert not (tmp_path / "predictions.jsonl").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["layers"], "'layers' is no size"),
        (["layers=x"], "'layers=x' is no size"),
        (["layers=-1"], "'layers=-1' is no size"),
        (["tied=1"], "'tied=1' is no size"),
        (["depth=2"], "The sizes are vocab, context, layers"),
        (["batch=0"], "at least 1"),
        (["heads=7"], "7 heads do not divide d_model=256"),
        (["layers=501"], "at most 500 layers"),
    ],
)
def test_sizes_that_cannot_be_are_refused(words, message):
    with pytest.raises(UserError, match=message):
        predict.parse(words)


def test_sizes_start_from_a_named_model():
    assert predict.parse([]) == SMALL
    assert predict.parse(["gpt2"]) == GPT2
    sizes = predict.parse(["gpt2", "layers=3", "tied=no"])
    assert (sizes.layers, sizes.tied, sizes.d_model) == (3, False, GPT2.d_model)


def test_a_step_that_is_too_large_is_counted_without_time(tmp_path):
    said = said_by(student(), tmp_path / "predictions.jsonl", "gpt2", "layers=1")
    assert "too large to run here" in said
    assert "exact" in said
    assert "0.25" not in said


def test_an_untouched_handout_is_told_what_to_do(capsys, monkeypatch):
    from assignment import __main__ as commands

    monkeypatch.setattr(commands, "ROOT", REPOSITORY / "handout")
    stub = raising(NotImplementedError("…"))
    monkeypatch.setattr("assignment.calls.implementation.Package", lambda name: stub)
    assert commands.main(["predict"]) == 2
    said = capsys.readouterr()
    assert "error: predict_step is not written yet" in said.err
    assert not (REPOSITORY / "handout" / "predictions.jsonl").exists()
