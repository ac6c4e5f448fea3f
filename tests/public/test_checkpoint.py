"""Checkpoints: save, stop, resume."""

import os

import pytest
import torch

from assignment import runs
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
def test_optimizer_returns(impl, rng, torch_rng):
    """Loading restores the optimizer's moments and settings"""
    path = str(impl.scratch / "run.pt")
    state = runs.drawn_state(rng, torch_rng)
    impl.scenarios.training_run(start=state, save=path)
    resumed = impl.scenarios.training_run(load=path)
    expect(resumed["optimizer"], "optimizer.state_dict()").equals(
        state["optimizer"],
        hint="save optimizer.state_dict(): without its moments AdamW starts from zero",
    )


@pytest.mark.exercise("checkpoint_roundtrip")
def test_random_state_returns(impl, rng, torch_rng):
    """After loading, torch, numpy and Python continue their random sequences"""
    path = str(impl.scratch / "run.pt")
    state = runs.drawn_state(rng, torch_rng)
    impl.scenarios.training_run(start=state, save=path)
    resumed = impl.scenarios.training_run(load=path)
    draws = runs.next_draws(state)
    for name, hint in [
        ("torch", "torch.get_rng_state, torch.set_rng_state"),
        ("numpy", "np.random.get_state, np.random.set_state; store its array as a list"),
        ("python", "random.getstate, random.setstate"),
    ]:
        expect(resumed["draws"][name], f"the next draws of {name}").close(
            draws[name], rtol=1e-6, hint=hint
        )


@pytest.mark.exercise("checkpoint_roundtrip")
def test_saving_changes_nothing(impl, rng, torch_rng):
    """Saving changes nothing in the run: no mode of a layer, no gradient, no generator"""
    path, state = str(impl.scratch / "run.pt"), runs.drawn_state(rng, torch_rng)
    found = impl.scenarios.around_save(path, state)
    for name, before in found["before"].items():
        expect(found["after"][name], name).equals(before, hint="only read what you save")
    expect(impl.scenarios.training_run(load=path)["step"], "the step").equals(state["step"])


@pytest.mark.exercise("checkpoint_atomic")
def test_failed_save_leaves_the_last_checkpoint(impl, torch_rng):
    """A save that fails half-way keeps the last checkpoint, and leaves no other file"""

    def cannot_be_saved():
        return None

    path = str(impl.scratch / "run.pt")
    weights, extra = torch.randn(3, 2, generator=torch_rng), torch.tensor([1.0])
    impl.scenarios.save_extra(path, weights, lambda extra=extra: extra)
    with pytest.raises(Exception):  # noqa: B017 - of any class
        impl.scenarios.save_extra(path, torch.zeros(3, 2), cannot_be_saved)
    expect(impl.readers.names_in(str(impl.scratch)), "the files in the folder").equals(
        ["run.pt"], hint="remove the temporary file when the save fails"
    )
    loaded, _ = impl.scenarios.load_extra(path, (3, 2))
    expect(loaded, "the weights").equals(
        weights,
        hint="write to a temporary file in the same folder; os.replace it when it is complete",
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


@pytest.mark.exercise("checkpoint_atomic")
def test_there_is_always_a_checkpoint(impl, torch_rng):
    """Before each change that a save makes to files, the old or the new checkpoint is there"""
    path, found = str(impl.scratch / "run.pt"), []
    saved = torch.randn(2, 3, 2, generator=torch_rng)
    impl.scenarios.save_weights(path, saved[0], 0)

    def see(file):
        content = None if file is None else file.content
        if content not in found:
            found.append(content)

    impl.watch_file(path, see, "scenarios.save_weights", path, saved[1], 1)
    expect(None not in found, "that there is a checkpoint").equals(
        True, hint="os.replace puts the new file where the old one is, in one operation"
    )
    expect(len(found) <= 2, "that there is only the old or the new checkpoint").equals(
        True, hint="write the new one to a temporary file; os.replace when it is complete"
    )
    for content in found:
        impl.readers.replace_all(path, content)
        step, weights = impl.scenarios.load_weights(path, (3, 2))
        expect(step in (0, 1), "the step is the last one or the new one").equals(True)
        expect(weights, "the weights").equals(saved[step])
