"""Checkpoints: what is left when a save is killed half-way."""

import pytest
import torch

from assignment.expect import expect

SHAPE = (48, 512)  # 96 KiB, which are written in several parts


class Saves:
    """A run that saves again and again. The test draws each state, and kills the run.

    Attributes:
        step: the last step whose state was drawn.
        completed: the last step whose save has returned: the run asked for the next state.
    """

    def __init__(self, impl, rng):
        self.impl, self.rng = impl, rng
        self.path = str(impl.scratch / "run.pt")
        self.step = self.completed = int(rng.integers(1, 10**6))
        self.drawn = {}

    def states(self, count, last=0, change=0):
        """The next states; with the `last` of them begins the save that is to be killed."""
        for number in range(1, count + 1):
            self.step += 1
            self.drawn[self.step] = torch.from_numpy(self.rng.random(SHAPE, dtype="float32"))
            if number == last:
                self.impl.kill_at_change(change)
            yield self.step, self.drawn[self.step]
            self.drawn = {self.step: self.drawn[self.step]}
            self.completed = self.step

    def save(self):
        """Saves once, and is not killed."""
        self.impl.scenarios.save_again_and_again(self.path, SHAPE, self.states(1))

    def kill(self, change):
        """Kills a process just before a change to files of one of its saves.

        Nobody knows before which one it is. Returns whether that save has fewer changes, so that a
        later one was killed.
        """
        last = int(self.rng.integers(2, 5))
        chosen = self.step + last
        killed = self.impl.kill_during(
            "scenarios.save_again_and_again", self.path, SHAPE, self.states(100, last, change)
        )
        assert killed, "the saves ended before the process was killed"
        return self.step > chosen

    def check_survivor(self):
        """Loads the checkpoint with no other file beside it; whether it is the newest state."""
        self.impl.readers.leave_only(self.path)
        survived = self.impl.scenarios.what_survived(self.path, SHAPE)
        step = expect(survived["step"], "the step").is_a(int)
        # The save that was running when the process was killed may have completed.
        assert step in (self.completed, self.step), (
            f"step {step} was loaded, but the save of step {self.completed} had returned"
        )
        weights = self.drawn[step]
        expect(survived["weights"], "the weights of one step").equals(weights)
        # Another test checks the optimizer's state; here it must only be of the same step.
        if survived["momentum"] is not None:
            expect(survived["momentum"], "the optimizer of that step").equals(-weights)
        self.drawn = {step: weights}
        self.completed = step
        return step == self.step


@pytest.mark.exercise("checkpoint_atomic", weight=4)
def test_killed_save_leaves_a_whole_checkpoint(impl, rng):
    """After a save is killed, the complete last checkpoint or the complete new one loads"""
    saves, is_over, change = Saves(impl, rng), False, 0
    while not is_over:
        # A usual save has ten changes. One with hundreds is tried at some of them.
        change += 1 if change < 20 else int(rng.integers(1, change))
        is_over = saves.kill(change)
        saves.check_survivor()


@pytest.mark.exercise("checkpoint_atomic")
def test_killed_saves_do_not_pile_up(impl, rng):
    """After killed saves, the next save leaves only the checkpoint in the folder"""
    saves = Saves(impl, rng)
    for change in (2, 3, *rng.integers(2, 6, size=2).tolist()):
        saves.kill(change)
    saves.save()
    expect(impl.readers.names_in(str(impl.scratch)), "the files").equals(["run.pt"])
    expect(saves.check_survivor(), "whether the last state was loaded").equals(True)
