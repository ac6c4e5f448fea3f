"""Checkpoints: resumed in fresh processes, killed half-way, and malicious."""

import time

import pytest
import torch

from assignment.callbacks import KillProcess
from assignment.expect import expect

# Tolerance between runs of one program on one machine, perhaps with different kernels: float32
# rounding, amplified over a few steps. Bitwise comparisons are only made between runs of the
# worker.
NEAR = {"rtol": 1e-3, "atol": 1e-4}
MANY = 130  # saves: more than the 128 descriptors that a worker may hold open


def two_seeds(rng):
    return (int(n) for n in rng.choice(2**31, 2, replace=False))


def saved_and_resumed(impl, rng, steps=5):
    """A run that saved a checkpoint, and a fresh process that loaded it and took no step.

    Another run saves to another file in between, so state kept in memory would be the other run's.
    """
    seed, other = two_seeds(rng)
    path = str(impl.scratch / "run.pt")
    saved = impl.scenarios.training_run(seed, steps, save=path)
    impl.scenarios.training_run(other, 1, save=str(impl.scratch / "another.pt"))
    impl.restart()
    resumed = impl.scenarios.training_run(other, 0, load=path)
    return seed, saved, resumed


def pair(result):
    """Checks that the result of `load_weights` is a pair: the step and the weights."""
    assert isinstance(result, tuple | list), "expected a step and weights"
    return result


@pytest.mark.exercise("checkpoint_roundtrip", weight=3)
def test_resumed_run_goes_on_bit_for_bit(impl, reference, rng):
    """A run that is stopped and resumed gives bit for bit the same as one that was not stopped"""
    seed, other = two_seeds(rng)
    before, after = int(rng.integers(2, 8)), int(rng.integers(2, 8))
    path = str(impl.scratch / "run.pt")
    whole = impl.scenarios.training_run(seed, before + after)
    impl.restart()
    first = impl.scenarios.training_run(seed, before, save=path)
    impl.restart()
    second = impl.scenarios.training_run(other, after, load=path)
    expect(first["losses"] + second["losses"], "the losses").equals(whole["losses"])
    for part in ("model", "optimizer", "draws", "step"):
        expect(second[part], part).equals(whole[part])
    known = reference.scenarios.training_run(seed, before + after)
    expect(second["model"], "model").close(known["model"], **NEAR)


@pytest.mark.exercise("checkpoint_roundtrip")
def test_parameters_and_buffers_return(impl, reference, rng):
    """Loading restores the model's parameters and buffers"""
    seed, saved, resumed = saved_and_resumed(impl, rng)
    expect(resumed["model"], "model.state_dict()").equals(saved["model"])
    known = reference.scenarios.training_run(seed, 5)
    expect(resumed["model"], "model.state_dict()").close(known["model"], **NEAR)


@pytest.mark.exercise("checkpoint_roundtrip")
def test_optimizer_returns(impl, reference, rng):
    """Loading restores the optimizer's state and the settings of its groups"""
    seed, saved, resumed = saved_and_resumed(impl, rng)
    expect(resumed["optimizer"], "optimizer.state_dict()").equals(saved["optimizer"])
    known = reference.scenarios.training_run(seed, 5)["optimizer"]
    expect(resumed["optimizer"]["state"], "the state").close(known["state"], **NEAR)
    rates = [group["lr"] for group in known["param_groups"]]
    found = [group["lr"] for group in resumed["optimizer"]["param_groups"]]
    expect(found, "the learning rates").close(rates, rtol=1e-12)


@pytest.mark.exercise("checkpoint_roundtrip")
def test_every_generator_returns(impl, reference, rng):
    """Loading restores the random state of torch, numpy and Python, and saving does not change
    it"""
    seed, saved, resumed = saved_and_resumed(impl, rng)
    undisturbed = reference.scenarios.training_run(seed, 5)["draws"]
    for name in ("torch", "numpy", "python"):
        expect(saved["draws"][name], f"{name} after saving").close(undisturbed[name], rtol=1e-6)
        expect(resumed["draws"][name], f"{name} after loading").equals(saved["draws"][name])


@pytest.mark.exercise("checkpoint_roundtrip")
def test_step_returns(impl, rng):
    """Loading returns the saved step"""
    path = str(impl.scratch / "run.pt")
    for step in (0, 1, int(rng.integers(2, 10**6))):
        weights = torch.full((2, 3), float(rng.integers(1, 1000)))
        impl.scenarios.save_weights(path, weights, step)
        impl.restart()
        found, loaded = pair(impl.scenarios.load_weights(path, (2, 3)))
        expect(found, "the step").equals(step)
        expect(loaded, "the weights").equals(weights)


@pytest.mark.exercise("checkpoint_roundtrip")
def test_the_file_is_the_checkpoint(impl, rng, torch_rng):
    """Checkpoints in different files are independent, and a missing file is an error"""
    folder = impl.scratch
    runs = {}
    for name in ("a", "b"):
        weights = torch.randn(3, 4, generator=torch_rng)
        runs[name] = (int(rng.integers(0, 1000)), weights)
        impl.scenarios.save_weights(str(folder / f"{name}.pt"), weights, runs[name][0])
    impl.scenarios.copy_file(str(folder / "a.pt"), str(folder / "copy.bin"))
    impl.restart()
    for name, file in [("a", "copy.bin"), ("b", "b.pt"), ("a", "a.pt")]:
        found = pair(impl.scenarios.load_weights(str(folder / file), (3, 4)))
        expect(list(found), "step and weights").equals(list(runs[name]))
    with pytest.raises(FileNotFoundError):
        impl.scenarios.load_weights(str(folder / "never_saved.pt"), (3, 4))


@pytest.mark.exercise("checkpoint_roundtrip", weight=2)
def test_loading_runs_no_code(impl, torch_rng):
    """A file with code in it is refused, and the code does not run"""
    folder = impl.scratch
    weights = torch.randn(2, 2, generator=torch_rng)
    impl.scenarios.save_weights(str(folder / "good.pt"), weights, 7)
    for form in ("torch", "pickle"):
        impl.scenarios.plant_code(str(folder / f"{form}.pt"), str(folder / f"{form}-ran"), form)
        refused = impl.scenarios.refuses_to_load(str(folder / f"{form}.pt"))
        expect(refused, "whether it was refused").equals(True)
    impl.restart()
    found = impl.scenarios.files_in(str(folder))
    assert not [name for name in found if name.endswith("-ran")], "the code in the file has run"
    expect(pair(impl.scenarios.load_weights(str(folder / "good.pt"), (2, 2)))[1]).equals(weights)


class Saves:
    """A run that saves at every step until it is killed."""

    def __init__(self, impl, rng):
        self.impl, self.rng = impl, rng
        self.folder, self.log = impl.scratch / "runs", str(impl.scratch / "log")
        self.path, self.salt = str(self.folder / "run.pt"), int(rng.integers(1000, 50_000))
        impl.scenarios.make_folder(str(self.folder))
        start = time.perf_counter()
        self.save(1, 8)
        self.seconds = (time.perf_counter() - start) / 8

    def save(self, first_step, saves):
        self.impl.scenarios.save_again_and_again(
            self.path, self.log, self.salt, first_step, saves=saves
        )

    def kill(self, first_step):
        """Kills a process at a random moment of its first saves, however fast the disk is."""
        delay = min(float(self.rng.uniform(1, 6)) * self.seconds, 0.15)

        def before_save(step):
            raise KillProcess(after=delay)

        arguments = {"path": self.path, "log": self.log, "salt": self.salt}
        killed = self.impl.kill_during(
            "scenarios.save_again_and_again",
            **arguments,
            first_step=first_step,
            before_save=before_save,
        )
        assert killed, "the saves ended before the process was killed"

    def survived(self):
        return self.impl.scenarios.what_survived(self.path, self.log)


@pytest.mark.exercise("checkpoint_atomic", weight=4)
def test_killed_save_leaves_a_whole_checkpoint(impl, rng):
    """After a save is killed, the complete last checkpoint or the complete new one loads"""
    saves, on_disk = Saves(impl, rng), 8
    for _ in range(12):
        saves.kill(on_disk + 1)
        survived = saves.survived()
        step = int(survived["weights"][0][0]) - saves.salt
        marks = [(saves.salt + step + 100_000.0 * i,) * 2 for i in range(32)]
        expect(survived["weights"], "the weights of one step").equals(marks)
        # Another test checks the optimizer's state; here it must only be of the same step.
        if survived["momentum"]:
            expect(survived["momentum"], "the optimizer of that step").equals(marks)
        # The save that was running when the process was killed may have completed.
        completed = max(survived["completed"], on_disk)
        assert completed <= step <= completed + 1, (
            f"step {step} was loaded, but the save of step {completed} had returned"
        )
        on_disk = step


@pytest.mark.exercise("checkpoint_atomic")
def test_killed_saves_do_not_pile_up(impl, rng):
    """After killed saves, the next save leaves only the checkpoint in the folder"""
    saves = Saves(impl, rng)
    for first_step in range(9, 13):
        saves.kill(first_step)
    saves.save(1, 1)
    expect(impl.scenarios.files_in(str(saves.folder)), "the files").equals(["run.pt"])
    weights = saves.survived()["weights"][0]
    expect(weights, "the weights").equals((saves.salt + 1.0, saves.salt + 1.0))


@pytest.mark.exercise("checkpoint_atomic")
def test_failed_save_leaves_the_last_checkpoint(impl, rng, torch_rng):
    """A save that raises half-way keeps the last checkpoint, and leaves no other file"""
    folder = str(impl.scratch / "runs")
    impl.scenarios.make_folder(folder)
    path = str(impl.scratch / "runs" / "run.pt")
    weights = torch.randn(3, 5, generator=torch_rng)
    impl.scenarios.save_weights(path, weights, int(rng.integers(1, 1000)))
    expect(impl.scenarios.save_that_fails(path), "whether the save raised").equals(True)
    impl.restart()
    expect(pair(impl.scenarios.load_weights(path, (3, 5)))[1], "the weights").equals(weights)
    expect(impl.scenarios.files_in(folder), "the files").equals(["run.pt"])


@pytest.mark.exercise("checkpoint_atomic", weight=0.5)
def test_saving_leaves_no_file_open(impl, rng):
    """Saving many times leaves no file or folder open"""
    path = str(impl.scratch / "run.pt")
    weights = torch.full((1, 2), float(rng.integers(1, 1000)))
    for step in range(MANY):
        impl.scenarios.save_weights(path, weights, step)
    impl.restart()
    found, loaded = pair(impl.scenarios.load_weights(path, (1, 2)))
    expect(found, "the step").equals(MANY - 1)
    expect(loaded, "the weights").equals(weights)


@pytest.mark.exercise("checkpoint_atomic", weight=2)
def test_file_is_on_the_disk_before_its_name_is(impl, rng, torch_rng):
    """The new file is synced before it is renamed, and the folder is synced afterwards"""
    impl.scenarios.make_folder(str(impl.scratch / "runs"))
    path = str(impl.scratch / "runs" / "run.pt")
    last, new = torch.randn(2, 2, 2, generator=torch_rng)
    step = int(rng.integers(1, 1000))
    impl.scenarios.save_weights(path, last, step)
    _, events = impl.file_calls("scenarios.save_weights", path, new, step + 1)
    found, weights = pair(impl.scenarios.load_weights(path, (2, 2)))
    expect(found, "the step").equals(step + 1)
    expect(weights, "the weights").equals(new)
    renames = [e for e in events if e[0] == "rename" and "runs/run.pt" in e]
    assert [names[-1] for names in renames] == ["runs/run.pt"], (
        f"the file was not renamed to its final name, once: {events}"
    )
    renamed = events.index(renames[0])
    assert ("sync", "runs/run.pt") in events[:renamed], (
        f"the complete file was not synced before it was renamed: {events}"
    )
    assert ("sync folder", "runs") in events[renamed:], (
        f"the folder was not synced after the rename: {events}"
    )
