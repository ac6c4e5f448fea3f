"""Checkpoints: what is left when a save is killed half-way."""

import pytest
import torch

from assignment.expect import expect

SHAPE = (48, 512)  # 96 KiB, which are written in several parts
SAVE = "scenarios.save_again_and_again"


class Saves:
    """Processes that save again and again. The test draws each state.

    Attributes:
        step: the last step whose state was drawn.
        completed: the last step whose save has returned: its process asked for the next state.
        drawn: the weights of each step.
    """

    def __init__(self, impl, rng):
        self.impl, self.rng = impl, rng
        self.path = str(impl.scratch / "run.pt")
        self.first = self.step = self.completed = int(rng.integers(1, 10**6))
        self.drawn = {}

    def states(self, count, last=0, change=0):
        """The next states; with the `last` of them begins the save that is to be killed."""
        for number in range(1, count + 1):
            self.step += 1
            self.drawn[self.step] = torch.from_numpy(self.rng.random(SHAPE, dtype="float32"))
            if number == last:
                self.impl.kill_at_change(change)
            yield self.step, self.drawn[self.step]
            self.completed = self.step

    def save(self, process):
        """Saves once, in a process of that number, and is not killed."""
        self.impl.call(SAVE, self.path, SHAPE, self.states(1), None, process)

    def kill(self, change, process=None):
        """Kills a process just before a change to files of one of its saves; nobody knows which.

        Its number is `process`, or its own.
        """
        states = self.states(100, int(self.rng.integers(2, 5)), change)
        killed = self.impl.kill_during(SAVE, self.path, SHAPE, states, None, process)
        assert killed, "the saves ended before the process was killed"

    def load(self, steps):
        """Loads the checkpoint in a process of its own: it is of one of these steps, and whole."""
        found = None

        def loaded(*state):
            nonlocal found
            found = state

        self.impl.restart()
        self.impl.call(SAVE, self.path, SHAPE, (), loaded)
        assert found is not None, "nothing was loaded"
        step, weights, momentum = found
        assert expect(step, "the step").is_a(int) in steps, (
            f"step {step} was loaded where the checkpoint should be of step {sorted(steps)}"
        )
        expect(weights, "the weights of one step").equals(self.drawn[step])
        # Another test checks the optimizer's state; here it must only be of the same step.
        if momentum is not None:
            expect(momentum, "the optimizer of that step").equals(-self.drawn[step])


class Moments(Saves):
    """Saves, and what a kill just before each change to files would leave of the checkpoint.

    Attributes:
        contents: what was in the file at any moment, and the steps that it may be of.
    """

    MOST = 12  # contents of the file; one for each save is right

    def __init__(self, impl, rng):
        super().__init__(impl, rng)
        self.contents, self._last = {}, None

    def watch(self, count, resumes=False):
        """Saves so often in one process, which may load the last checkpoint first."""
        survived = (lambda *_: None) if resumes else None
        states = self.states(count)
        self.impl.watch_file(self.path, self.see, SAVE, self.path, SHAPE, states, survived)
        content = self.impl.readers.file_bytes(self.path, 2**24)
        self.contents.setdefault(content, {self.step}).intersection_update({self.step})

    def see(self, file):
        """Notes the checkpoint of one moment."""
        if file is None:
            assert self.completed == self.first, "for a moment there is no checkpoint"
            return
        is_same_file = self._last is not None and self._last.inode == file.inode
        assert not is_same_file or self._last.content == file.content, (
            "the checkpoint is changed in place"
        )
        self._last = file
        steps = {self.completed, self.step} - {self.first}
        self.contents.setdefault(file.content, steps).intersection_update(steps)
        assert len(self.contents) <= self.MOST, "the checkpoint changes again and again in a save"


@pytest.mark.exercise("checkpoint_atomic", weight=4)
def test_killed_save_leaves_a_whole_checkpoint(impl, rng):
    """Before each change that a save makes to files, the last or the new checkpoint loads, whole
    and with its step"""
    moments = Moments(impl, rng)
    moments.watch(2)
    moments.watch(2, resumes=True)
    for content, steps in moments.contents.items():
        impl.readers.replace_all(moments.path, content)
        moments.load(steps)


@pytest.mark.exercise("checkpoint_atomic")
def test_killed_saves_do_not_pile_up(impl, rng):
    """After killed saves, the next save leaves a complete checkpoint and nothing else in the
    folder"""
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
    saves.load({saves.step})
