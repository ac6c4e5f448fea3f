"""Each layer is needed: without it, an attack that it stops goes red."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.harness.conftest import REPOSITORY, needs_root
from tests.harness.hostile.layers import LAYERS, Edit, Layer
from tests.harness.hostile.switch_off import edited_texts, red

UNCHANGED = Edit("wire/frames.py", 'MAGIC = b"RAG1"', 'MAGIC = b"RAG1"')
# One layer; the campaign `attack` tries every one.
TRIED = tuple(LAYERS) if "ALL_ATTACKS" in os.environ else ("own process",)


@pytest.mark.parametrize("name", LAYERS)
def test_layer_can_still_be_switched_off(name):
    """The text to be replaced occurs in the grader exactly once"""
    assert edited_texts(LAYERS[name])


def test_missing_text_is_an_error():
    """A layer that is not switched off would seem to stop nothing"""
    gone = Layer("none", "nan", (Edit("wire/frames.py", "no such text", ""),))
    with pytest.raises(ValueError, match="occurs 0 times"):
        edited_texts(gone)


@needs_root
def test_guarded_command_can_change_only_the_copy(tmp_path):
    """An attack without a layer once deleted os.py from the machine that ran it"""
    change = (
        "import os, sys; [os.close(os.open(p, os.O_WRONLY | os.O_CREAT)) for p in sys.argv[1:]]"
    )
    guarded = [sys.executable, "-m", "tests.harness.container", "whole", "--guard", tmp_path, "--"]

    def changes(path):
        done = subprocess.run([*guarded, sys.executable, "-c", change, path], check=False)
        return done.returncode == 0

    assert changes(tmp_path / "mine")
    assert (tmp_path / "mine").exists()
    assert changes(f"/tmp/{tmp_path.parent.name}-mark")
    assert not Path(f"/tmp/{tmp_path.parent.name}-mark").exists()
    for path in (os.__file__, pytest.__file__, Path.home() / "mark", "/mark"):
        assert not changes(path), path
    changes(REPOSITORY / "mark")  # it may succeed in a hidden folder, for a checkout below /tmp
    assert not (REPOSITORY / "mark").exists()


@needs_root
@pytest.mark.parametrize("name", TRIED)
def test_attack_goes_red_without_its_layer(own_group, name):
    """The machine is guarded by a control group, too"""
    assert red(LAYERS[name], [LAYERS[name].attack]) == {LAYERS[name].attack}


@pytest.mark.parametrize("profile", sorted({layer.profile for layer in LAYERS.values()}))
@pytest.mark.skipif("ALL_ATTACKS" not in os.environ, reason="a minute; campaign `attack` runs it")
def test_nothing_goes_red_with_all_layers(profile):
    """Checks the test above: the copy without the grader's own checks stops every attack"""
    attacks = {x.attack for x in LAYERS.values() if x.profile == profile and not x.kinds}
    assert red(Layer("none", "", (UNCHANGED,), profile), attacks) == set()
