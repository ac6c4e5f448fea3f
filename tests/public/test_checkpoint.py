"""Checkpoints: save, stop, resume."""

import pytest
import torch

from assignment.expect import expect


@pytest.mark.exercise("checkpoint_roundtrip")
def test_model_and_step_return(impl):
    """A model saved at step 41 comes back with its weights, at step 41"""
    path = str(impl.scratch / "run.pt")
    impl.scenarios.save_weights(path, torch.tensor([[1.0, 2.0], [3.0, 4.0]]), 41)
    impl.restart()
    step, weights = impl.scenarios.load_weights(path, (2, 2))
    expect(weights, "the weights").equals(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
    expect(step, "the step").equals(41, hint="return the step that was saved, not the next one")


@pytest.mark.exercise("checkpoint_roundtrip")
def test_optimizer_returns(impl):
    """The optimizer comes back with its moments and its settings"""
    path = str(impl.scratch / "run.pt")
    saved = impl.scenarios.training_run(1, 5, save=path)
    resumed = impl.scenarios.training_run(2, 0, load=path)
    expect(resumed["optimizer"], "optimizer.state_dict()").equals(
        saved["optimizer"], hint="AdamW without its moments starts anew: 8 bytes a parameter"
    )


@pytest.mark.exercise("checkpoint_roundtrip")
def test_random_state_returns(impl):
    """After loading, torch, numpy and Python draw what they would have drawn next"""
    path = str(impl.scratch / "run.pt")
    saved = impl.scenarios.training_run(1, 5, save=path)
    resumed = impl.scenarios.training_run(2, 0, load=path)
    for name, hint in [
        ("torch", "torch.get_rng_state, torch.set_rng_state"),
        ("numpy", "np.random.get_state, np.random.set_state; store its array as a list"),
        ("python", "random.getstate, random.setstate"),
    ]:
        expect(resumed["draws"][name], f"what {name} draws next").equals(
            saved["draws"][name], hint=hint
        )


@pytest.mark.exercise("checkpoint_atomic")
def test_failed_save_leaves_the_last_checkpoint(impl):
    """A save that fails half-way leaves the last checkpoint, and nothing beside it"""
    folder = str(impl.scratch / "runs")
    impl.scenarios.make_folder(folder)
    path = str(impl.scratch / "runs" / "run.pt")
    impl.scenarios.save_weights(path, torch.tensor([[1.0, 2.0]]), 1)
    expect(impl.scenarios.save_that_fails(path), "whether the failed save raised").equals(True)
    impl.restart()
    expect(impl.scenarios.load_weights(path, (1, 2))[1], "the weights").equals(
        torch.tensor([[1.0, 2.0]]),
        hint="write to a temporary file beside it, and os.replace it when it is whole",
    )
    expect(impl.scenarios.files_in(folder), "the files in the folder").equals(
        ["run.pt"], hint="remove the temporary file when the save fails"
    )
