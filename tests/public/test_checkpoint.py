"""Checkpoints: save, stop, resume."""

import os

import pytest
import torch

from assignment.expect import expect


@pytest.mark.exercise("checkpoint_roundtrip")
def test_model_and_step_return(impl):
    """Loading restores the weights and returns the saved step, 41"""
    path = str(impl.scratch / "run.pt")
    impl.scenarios.save_weights(path, torch.tensor([[1.0, 2.0], [3.0, 4.0]]), 41)
    impl.restart()
    step, weights = impl.scenarios.load_weights(path, (2, 2))
    expect(weights, "the weights").equals(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
    expect(step, "the step").equals(41, hint="return the saved step, not the next one")


@pytest.mark.exercise("checkpoint_roundtrip")
def test_optimizer_returns(impl):
    """Loading restores the optimizer's moments and settings"""
    path = str(impl.scratch / "run.pt")
    saved = impl.scenarios.training_run(1, 5, save=path)
    resumed = impl.scenarios.training_run(2, 0, load=path)
    expect(resumed["optimizer"], "optimizer.state_dict()").equals(
        saved["optimizer"],
        hint="save optimizer.state_dict(): without its moments AdamW starts from zero",
    )


@pytest.mark.exercise("checkpoint_roundtrip")
def test_random_state_returns(impl):
    """After loading, torch, numpy and Python continue their random sequences"""
    path = str(impl.scratch / "run.pt")
    saved = impl.scenarios.training_run(1, 5, save=path)
    resumed = impl.scenarios.training_run(2, 0, load=path)
    for name, hint in [
        ("torch", "torch.get_rng_state, torch.set_rng_state"),
        ("numpy", "np.random.get_state, np.random.set_state; store its array as a list"),
        ("python", "random.getstate, random.setstate"),
    ]:
        expect(resumed["draws"][name], f"the next draws of {name}").equals(
            saved["draws"][name], hint=hint
        )


@pytest.mark.exercise("checkpoint_atomic")
def test_failed_save_leaves_the_last_checkpoint(impl):
    """A save that fails half-way keeps the last checkpoint, and leaves no other file"""
    folder = str(impl.scratch / "runs")
    impl.scenarios.make_folder(folder)
    path = str(impl.scratch / "runs" / "run.pt")
    impl.scenarios.save_weights(path, torch.tensor([[1.0, 2.0]]), 1)
    expect(impl.scenarios.save_that_fails(path), "whether the failed save raised").equals(True)
    impl.restart()
    expect(impl.scenarios.load_weights(path, (1, 2))[1], "the weights").equals(
        torch.tensor([[1.0, 2.0]]),
        hint="write to a temporary file in the same folder; os.replace it when it is complete",
    )
    expect(impl.scenarios.files_in(folder), "the files in the folder").equals(
        ["run.pt"], hint="remove the temporary file when the save fails"
    )


@pytest.mark.exercise("checkpoint_atomic")
def test_file_is_on_the_disk_before_its_name_is(impl):
    """The new file is synced before it is renamed, and the folder is synced afterwards"""
    path = str(impl.scratch / "run.pt")
    impl.scenarios.save_weights(path, torch.tensor([[1.0, 2.0]]), 1)
    _, events = impl.file_calls("scenarios.save_weights", path, torch.tensor([[3.0, 4.0]]), 2)
    renames = [event for event in events if event[0] == "rename" and event[-1] == "run.pt"]
    assert renames, f"write to a temporary file, then os.replace the last checkpoint: {events}"
    renamed = events.index(renames[0])
    assert ("sync", "run.pt") in events[:renamed], (
        f"flush and os.fsync the complete temporary file before it gets its name: {events}"
    )
    if os.name != "nt":  # there no folder can be synced
        assert ("sync folder", ".") in events[renamed:], (
            f"os.fsync the folder after the file has got its name: {events}"
        )
