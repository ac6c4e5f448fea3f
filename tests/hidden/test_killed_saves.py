"""Checkpoints: what is left when a save is killed half-way."""

import pytest
import torch

from assignment.expect import expect

SHAPE = (48, 512)  # 96 KiB, which are written in several parts


class Saves:
    """Runs that save again and again. The test draws each state, and kills one run after the other.

    Attributes:
        step: the last step whose state was drawn.
        completed: the last step whose save has returned: the run asked for the next state.
        drawn: the weights of the steps that may be in the checkpoint.
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

    def save(self, process):
        """Saves once, in a process of that number, and is not killed."""
        run = "scenarios.save_again_and_again"
        self.impl.call(run, self.path, SHAPE, self.states(1), None, process)

    def kill(self, change, survivor=None, process=None):
        """Kills a process just before a change to files of one of its saves.

        Nobody knows before which one it is. If there is a survivor of an earlier kill, the process
        loads it first. Its number is `process`, or its own. Returns whether that save has fewer
        changes, so that a later one was killed.
        """
        last = int(self.rng.integers(2, 5))
        chosen = self.step + last
        states = self.states(100, last, change)
        killed = self.impl.kill_during(
            "scenarios.save_again_and_again",
            *(self.path, SHAPE, states if survivor is None else survivor.before(states)),
            survivor and survivor.loaded,
            process,
        )
        assert killed, "the saves ended before the process was killed"
        return self.step > chosen

    def survivor(self):
        """What is left, with no other file beside it."""
        self.impl.readers.leave_only(self.path)
        return Survivor(self)

    def load(self):
        """Loads the checkpoint; whether it is of the last step."""
        survivor = self.survivor()
        run = "scenarios.save_again_and_again"
        self.impl.call(run, self.path, SHAPE, survivor.before(()), survivor.loaded)
        return survivor.check() == self.step


class Survivor:
    """A checkpoint that the next process loads, before it asks for a state to save.

    Args:
        saves: the runs before.
    """

    def __init__(self, saves):
        self.completed, self.step, self.drawn = saves.completed, saves.step, dict(saves.drawn)
        self.found = None

    def loaded(self, step, weights, momentum):
        """Notes what the process says that it loaded."""
        self.found = step, weights, momentum

    def before(self, states):
        """The states, once the process has said what it loaded."""
        self.check()
        yield from states

    def check(self):
        """Compares what was loaded with what was drawn; returns the step."""
        assert self.found is not None, "nothing was loaded"
        step, weights, momentum = self.found
        # The save that was running when the process was killed may have completed.
        assert expect(step, "the step").is_a(int) in (self.completed, self.step), (
            f"step {step} was loaded, but the save of step {self.completed} had returned"
        )
        expect(weights, "the weights of one step").equals(self.drawn[step])
        # Another test checks the optimizer's state; here it must only be of the same step.
        if momentum is not None:
            expect(momentum, "the optimizer of that step").equals(-self.drawn[step])
        return step


@pytest.mark.exercise("checkpoint_atomic", weight=4)
def test_killed_save_leaves_a_whole_checkpoint(impl, rng):
    """After a save is killed, the complete last checkpoint or the complete new one loads"""
    saves, survivor, is_over, change = Saves(impl, rng), None, False, 0
    while not is_over:
        # A usual save has ten changes. One with hundreds is tried at some of them.
        change += 1 if change < 20 else int(rng.integers(1, change))
        is_over = saves.kill(change, survivor)
        survivor = saves.survivor()
    saves.load()


@pytest.mark.exercise("checkpoint_atomic")
def test_killed_saves_do_not_pile_up(impl, rng):
    """After killed saves, the next save leaves only the checkpoint in the folder"""
    saves = Saves(impl, rng)
    for change in (3, 4, 8):
        saves.kill(change)  # what it leaves may be longer than the next checkpoint
        step, small = int(rng.integers(1, 2**20)), torch.from_numpy(rng.random((2, 2), "float32"))
        impl.scenarios.save_weights(saves.path, small, step)
        found = impl.scenarios.load_weights(saves.path, (2, 2))
        expect(list(found), "step and weights of a small checkpoint").equals([step, small])
    changes = (2, 3, *rng.integers(2, 6, size=2).tolist())
    processes = rng.choice(2**22, len(changes) + 1, replace=False).tolist()  # all different
    for change, process in zip(changes, processes[1:], strict=True):
        saves.kill(change, process=process)
    saves.save(processes[0])
    expect(impl.readers.names_in(str(impl.scratch)), "the files").equals(["run.pt"])
    expect(saves.load(), "whether the last state was loaded").equals(True)
