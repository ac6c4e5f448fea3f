"""Checkpoints: save, stop, resume."""

import io
import os
import zipfile

import pytest
import torch

from assignment.expect import expect
from assignment.material import runs


def refused(call, *arguments):
    """Checks that a call raises, whatever class."""
    with pytest.raises(Exception):  # noqa: B017 - of any class
        call(*arguments)


def with_code(content):
    """A file of torch.save, with one instruction more: to call a function while it is read."""
    changed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(changed, "w") as new:
        for item in old.infolist():
            data = old.read(item)
            if item.filename.endswith("data.pkl"):
                data = data.removesuffix(b".") + b"cos\ngetcwd\n)R0."
            new.writestr(item, data)
    return changed.getvalue()


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
    """A saved run loads, and its optimizer's whole state is back: moments, settings, numbers"""
    path = str(impl.scratch / "run.pt")
    state = runs.drawn_state(rng, torch_rng)
    impl.scenarios.training_run(start=state, save=path)
    resumed = impl.scenarios.training_run(load=path)
    expect(resumed["optimizer"], "the optimizer's state after loading").equals(
        state["optimizer"],
        hint="save all of optimizer.state_dict(): without its moments AdamW starts from zero",
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


@pytest.mark.exercise("checkpoint_roundtrip")
def test_whole_run_returns(impl, rng, torch_rng):
    """Whatever a run holds returns exactly, with weights_only=True: buffers, counters, all draws"""
    for _ in range(2):
        path, state = str(impl.scratch / "run.pt"), runs.drawn_state(rng, torch_rng)
        impl.scenarios.training_run(start=state, save=path)
        impl.readers.tensors_in(path)  # loads with weights_only=True
        resumed = impl.scenarios.training_run(load=path)
        for name, saved in state["model"].items():
            expect(resumed["model"][name], name).equals(saved)
        expect(resumed["optimizer"], "optimizer.state_dict()").equals(state["optimizer"])
        draws = runs.next_draws(state)
        for name in ("numpy", "python"):  # normal numbers come in pairs, one of which is kept
            expect(resumed["draws"][name], f"the next draws of {name}").close(
                draws[name], rtol=1e-12
            )
        expect(resumed["step"], "the step").equals(state["step"])


@pytest.mark.exercise("checkpoint_roundtrip")
def test_any_weights_and_steps_return(impl, torch_rng):
    """Weights of any dtype, also infinite, and steps beyond 2^53 return; the last save counts"""
    path = str(impl.scratch / "run.pt")
    steps = {2**53 + 1: torch.float64, 16_777_217: torch.bfloat16, 0: torch.float16}
    for step, dtype in steps.items():
        weights = torch.randn(3, 4, generator=torch_rng, dtype=dtype)
        weights[0, :2] = torch.tensor([torch.inf, -torch.inf])
        impl.scenarios.save_weights(path, weights, step)
        impl.restart()
        found, loaded = impl.scenarios.load_weights(path, (3, 4), dtype)
        expect(found, "the step").equals(step)
        expect(loaded, "the weights").equals(weights)
    kept, left, own = torch.randn(3, 5, generator=torch_rng)
    impl.scenarios.save_buffers(path, kept, left)
    found = impl.scenarios.load_buffers(path, torch.zeros(5), own)
    expect(found, "the buffers").equals(
        [kept, own], hint="save state_dict(): a buffer that it leaves out stays as it is"
    )


@pytest.mark.exercise("checkpoint_roundtrip")
def test_optimizer_is_overwritten(impl, torch_rng):
    """Loading replaces the state and the settings of an optimizer that has already stepped"""
    path = str(impl.scratch / "run.pt")
    for momentum_of in (0.0, 1.0):
        weights, momentum, gradient = torch.randn(3, 2, 3, generator=torch_rng, dtype=torch.float64)
        momentum *= momentum_of
        saved = momentum if momentum_of else None
        impl.scenarios.save_weights(path, weights, 1, saved)
        impl.restart()
        found = impl.scenarios.load_and_step(path, (2, 3), gradient)
        expect(found, "the weights after one more step").close(
            weights - 0.1 * (0.9 * momentum + gradient), rtol=0, atol=1e-12
        )


@pytest.mark.exercise("checkpoint_roundtrip")
def test_refuses_what_is_no_checkpoint(impl, torch_rng):
    """A missing, broken or empty file, another model's, and one that runs code are refused"""
    path, other = str(impl.scratch / "run.pt"), str(impl.scratch / "other.pt")
    weights = torch.randn(1, 3, generator=torch_rng)
    impl.scenarios.save_weights(path, weights, 3)
    with pytest.raises(FileNotFoundError):
        impl.scenarios.load_weights(other, (1, 3))
    refused(impl.scenarios.load_weights, path, (4, 3))  # nothing is broadcast
    refused(impl.scenarios.load_extra, path, (1, 3))  # a model with other names
    content, bare = impl.readers.file_bytes(path), io.BytesIO()
    torch.save({"weight": weights}, bare)
    contents = [b"", b"no checkpoint", content[:-50], bare.getvalue(), with_code(content)]
    wrong = {str(impl.scratch / f"wrong-{i}.pt"): content for i, content in enumerate(contents)}
    impl.readers.write_files(wrong)
    for file in wrong:
        refused(impl.scenarios.load_weights, file, (1, 3))
    step, loaded = impl.scenarios.load_weights(path, (1, 3))
    expect([step, loaded], "step and weights").equals([3, weights])


@pytest.mark.exercise("checkpoint_atomic")
def test_failed_save_leaves_the_last_checkpoint(impl, torch_rng):
    """A good save makes the file; one that fails half-way keeps it, and leaves no other"""

    def cannot_be_saved():
        return None

    path = str(impl.scratch / "run.pt")
    weights, extra = torch.randn(3, 2, generator=torch_rng), torch.tensor([1.0])
    impl.scenarios.save_extra(path, weights, lambda extra=extra: extra)
    expect(impl.readers.names_in(str(impl.scratch)), "the files after a save").equals(["run.pt"])
    whole = impl.readers.file_bytes(path)
    refused(impl.scenarios.save_extra, path, torch.zeros(3, 2), cannot_be_saved)
    expect(impl.readers.names_in(str(impl.scratch)), "the files in the folder").equals(
        ["run.pt"], hint="a save that fails removes what is new, and nothing else"
    )
    is_kept = impl.readers.file_bytes(path) == whole
    expect(is_kept, "is the last checkpoint as it was, after a save that failed").equals(
        True, hint="write to a temporary file in the same folder; os.replace it when it is complete"
    )
    loaded, _ = impl.scenarios.load_extra(path, (3, 2))
    expect(loaded, "the weights").equals(weights)


@pytest.mark.exercise("checkpoint_atomic")
def test_file_is_on_the_disk_before_its_name_is(impl):
    """The last checkpoint is replaced by a rename; the new file is synced before it, and the folder
    afterwards"""
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
    step, weights = impl.scenarios.load_weights(path, (3, 2))
    expect([step, weights], "step and weights after the save").equals([1, saved[1]])
    for content in found:
        impl.readers.replace_all(path, content)
        step, weights = impl.scenarios.load_weights(path, (3, 2))
        expect(step in (0, 1), "the step is the last one or the new one").equals(True)
        expect(weights, "the weights").equals(saved[step])


@pytest.mark.exercise("checkpoint_atomic")
def test_saves_that_cannot_be_done(impl, torch_rng):
    """Beside a checkpoint, Ctrl-C and a path that is a folder leave no temporary file; the second
    is an OSError"""
    path, folder = str(impl.scratch / "run.tmp"), str(impl.scratch / "folder")
    weights, extra = torch.randn(3, 2, generator=torch_rng), torch.tensor([1.0])
    impl.scenarios.save_extra(path, weights, lambda: extra)
    expect(impl.readers.names_in(str(impl.scratch)), "the files after a save").equals(["run.tmp"])
    for failure in ("interrupt", None):
        refused(impl.scenarios.save_extra, path, torch.zeros(3, 2), lambda failure=failure: failure)
        expect(impl.readers.names_in(str(impl.scratch)), "the files after a failed save").equals(
            ["run.tmp"], hint="whatever fails, what is new goes, and the old stays: BaseException"
        )
    impl.scenarios.make_folder(folder)
    with pytest.raises(OSError):
        impl.scenarios.save_weights(folder, weights, 1)
    expect(impl.readers.names_in(folder), "the files in the path that is a folder").equals([])
    expect(impl.readers.names_in(str(impl.scratch)), "what is beside it").equals(
        ["folder", "run.tmp"]
    )
    loaded, _ = impl.scenarios.load_extra(path, (3, 2))
    expect(loaded, "the weights, although a temporary file might have this name").equals(weights)


@pytest.mark.exercise("checkpoint_atomic")
def test_killed_saves_do_not_pile_up(impl, torch_rng):
    """What killed saves leave behind is gone after the next save, in any process, of any size"""
    path, large = str(impl.scratch / "run.pt"), torch.zeros(40, 50)
    impl.readers.write_files({str(impl.scratch / "run.pt.best"): b"another file"})
    for process, change in ((11, 2), (12, 3)):
        impl.kill_at_change(change)
        impl.kill_during(
            "scenarios.save_again_and_again", path, (40, 50), [(1, large)], process=process
        )
        impl.restart()
    weights = torch.randn(2, 3, generator=torch_rng)
    impl.scenarios.save_again_and_again(path, (2, 3), [(7, weights)], process=13)
    expect(impl.readers.names_in(str(impl.scratch)), "the files in the folder").equals(
        ["run.pt", "run.pt.best"],
        hint="the simple way is one fixed name, which each save overwrites",
    )
    found = impl.scenarios.load_weights(path, (2, 3))
    expect(list(found), "step and weights").equals([7, weights])


@pytest.mark.exercise("checkpoint_atomic")
def test_saves_to_a_bare_name(impl, torch_rng):
    """A name without a folder is a file in the working folder"""
    weights = torch.randn(2, 3, generator=torch_rng)
    impl.scenarios.save_in_folder(str(impl.scratch), "here.pt", weights, 5)
    found = impl.scenarios.load_weights(str(impl.scratch / "here.pt"), (2, 3))
    expect(list(found), "step and weights").equals([5, weights])
