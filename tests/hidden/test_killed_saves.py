"""Checkpoints: what is left when a save is killed half-way."""

import time

import pytest
import torch

from assignment.callbacks import KillProcess
from assignment.expect import expect


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
        self.block = rng.random((48, 16384), dtype="float32")
        self.drawn = {}
        self.begun = 0.0
        self.seconds = 0.0  # that the last complete save took

    def states(self, count):
        for _ in range(count):
            self.step += 1
            # Faster than drawing all; what one state tells of the next is in no file.
            weights = self.block + self.rng.random((48, 1), dtype="float32")
            self.drawn[self.step] = torch.from_numpy(weights)
            yield self.step, self.drawn[self.step]
            self.drawn = {self.step: self.drawn[self.step]}
            self.completed = self.step
            self.seconds = time.perf_counter() - self.begun

    def save(self):
        """Saves once, and is not killed."""
        self.impl.scenarios.save_again_and_again(self.path, self.states(1))

    def kill(self, moment=None):
        """Kills a process in a save: after `moment` times what the one before it took.

        Without a moment: while it pickles the model's state, if it does. It is one of the second to
        the fourth save of the process, which nobody knows before.
        """
        saves, pickled, last = 0, 0, int(self.rng.integers(2, 5))

        def before_save():
            nonlocal saves
            saves += 1
            self.begun = time.perf_counter()
            if saves == last and not (moment is None and pickled):
                raise KillProcess(after=(moment or 0.5) * self.seconds)

        def while_pickling():
            nonlocal pickled
            pickled += 1
            if saves >= last and moment is None:
                raise KillProcess

        killed = self.impl.kill_during(
            "scenarios.save_again_and_again",
            self.path,
            self.states(1000),
            before_save=before_save,
            while_pickling=while_pickling,
        )
        assert killed, "the saves ended before the process was killed"

    def check_survivor(self):
        """Loads the checkpoint with no other file beside it; whether it is the newest state."""
        self.impl.readers.leave_only(self.path)
        survived = self.impl.scenarios.what_survived(self.path)
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
    saves, moment, move = Saves(impl, rng), float(rng.uniform(0.2, 0.8)), 0.4
    saves.kill()
    saves.check_survivor()
    # An old checkpoint was there: the next kill is later. A new one: earlier. So the kills come
    # close to the moment when the one takes the other's place, however long a save takes.
    for _ in range(13):
        saves.kill(max(moment, 0.01))
        moment += float(rng.uniform(0.5, 1.5)) * (-move if saves.check_survivor() else move)
        move = max(0.75 * move, 0.03)


@pytest.mark.exercise("checkpoint_atomic")
def test_killed_saves_do_not_pile_up(impl, rng):
    """After killed saves, the next save leaves only the checkpoint in the folder"""
    saves = Saves(impl, rng)
    for moment in (None, None, *rng.uniform(0.2, 0.8, size=2).tolist()):
        saves.kill(moment)
    saves.save()
    expect(impl.readers.names_in(str(impl.scratch)), "the files").equals(["run.pt"])
    expect(saves.check_survivor(), "whether the last state was loaded").equals(True)
