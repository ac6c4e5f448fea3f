"""Checkpoints: resumed in fresh processes, malicious, and saved again and again."""

import io
import operator
import os
import pickle
import pickletools
import zipfile
from contextlib import contextmanager

import pytest
import torch

from assignment.expect import expect
from assignment.material import runs

# Tolerance between runs of one program on one machine, perhaps with different kernels: float32
# rounding, amplified over a few steps. Bitwise comparisons are only made between runs of the
# worker, or with what the test sent.
NEAR = {"rtol": 1e-3, "atol": 1e-4}
# Four batches of so many rows take 384 KiB; the state of a run, and the checkpoint, far less.
ROWS, LARGEST = 384, 150_000
MANY = 80  # saves: many more than the 64 descriptors that a worker may hold open
SEEN = 256 * 2**20  # bytes that code in a file takes: far more than loading the file does


def saved_and_resumed(impl, reference, rng, torch_rng, count=4):
    """What a run is when it saves, what a fresh process loads, and what the reference's run is.

    The run saves after `count` batches. Only its file is left, which is too small to hold them:
    nobody can run again from the start. numpy and Python draw normal numbers in pairs: after an
    even number of batches both keep one, after an odd number none.
    """
    state, batches = runs.drawn_state(rng, torch_rng), runs.Batches(torch_rng, rows=ROWS)
    path = str(impl.scratch / "run.pt")
    saved = impl.scenarios.training_run(batches.draw(count), start=state, save=path)
    leave_small(impl, path)
    resumed = impl.scenarios.training_run(load=path)
    return saved, resumed, reference.scenarios.training_run(batches.again(), start=state)


def leave_small(impl, path):
    """Removes all files but the checkpoint, which holds a state, and not all that led to it."""
    (size,) = impl.readers.leave_only(path)
    assert size < LARGEST, f"the checkpoint has {size} bytes or more"


@contextmanager
def refused():
    """Checks that a call raises, whatever class; that its process ends is no refusal."""
    try:
        yield
    except Exception as error:
        if type(error).__module__.startswith("grader."):
            raise
    else:
        pytest.fail("DID NOT RAISE")


def check_loads(impl, path, step, weights):
    """Checks that `load_weights` gives a pair: this step and these weights."""
    result = impl.scenarios.load_weights(str(path), tuple(weights.shape), weights.dtype)
    assert isinstance(result, tuple | list), "expected a step and weights"
    expect(list(result), "step and weights").equals([step, weights])


def drawn(rng, torch_rng, *shape):
    """A step and weights."""
    return int(rng.integers(0, 1000)), torch.randn(shape, generator=torch_rng)


def check_model(saved, resumed, known):
    expect(resumed["model"], "model.state_dict()").equals(saved["model"])
    expect(resumed["model"], "model.state_dict()").close(known["model"], **NEAR)


@pytest.mark.exercise("checkpoint_roundtrip", weight=3)
def test_resumed_run_goes_on_bit_for_bit(impl, reference, rng, torch_rng):
    """A run that is stopped and resumed gives bit for bit the same as one that was not stopped"""
    state, batches = runs.drawn_state(rng, torch_rng), runs.Batches(torch_rng, rows=ROWS)
    path = str(impl.scratch / "run.pt")
    before, after = int(rng.integers(3, 8)), int(rng.integers(2, 8))
    first = impl.scenarios.training_run(batches.draw(before), start=state, save=path)
    leave_small(impl, path)
    second = impl.scenarios.training_run(batches.draw(after), load=path)
    impl.restart()
    # After the second, whose batches nobody could know before it loaded the checkpoint.
    whole = impl.scenarios.training_run(batches.again(), start=state)
    known = reference.scenarios.training_run(batches.again(), start=state)
    losses = first["losses"] + second["losses"]
    expect(losses, "the losses").equals(whole["losses"])
    expect(losses, "the losses").close(known["losses"], **NEAR)
    for part in ("model", "optimizer", "draws", "step"):
        expect(second[part], part).equals(whole[part])
    for run in (second, known):
        run["optimizer"] = run["optimizer"]["state"]
    for part in ("model", "optimizer", "draws", "step"):
        expect(second[part], part).close(known[part], **NEAR)


@pytest.mark.exercise("checkpoint_roundtrip")
def test_parameters_and_buffers_return(impl, reference, rng, torch_rng):
    """Loading restores the model's parameters and buffers"""
    check_model(*saved_and_resumed(impl, reference, rng, torch_rng))


@pytest.mark.exercise("checkpoint_roundtrip")
def test_the_state_dict_is_what_returns(impl, torch_rng):
    """A buffer that is no part of the model's state_dict() is not part of a checkpoint"""
    saved, found = [], []
    for name in ("a.pt", "b.pt"):
        kept, left, own = torch.randn(3, 5, generator=torch_rng)
        path = str(impl.scratch / name)
        impl.scenarios.save_buffers(path, kept, left)
        impl.restart()
        found.append(impl.scenarios.load_buffers(path, torch.zeros(5), own))
        saved.append([kept, own])
    expect(found, "the buffers").equals(saved)


@pytest.mark.exercise("checkpoint_roundtrip")
def test_optimizer_returns(impl, reference, rng, torch_rng):
    """Loading restores the optimizer's state and the settings of its groups"""
    saved, resumed, known = saved_and_resumed(impl, reference, rng, torch_rng)
    expect(resumed["optimizer"], "optimizer.state_dict()").equals(saved["optimizer"])
    state, groups = resumed["optimizer"]["state"], resumed["optimizer"]["param_groups"]
    expect(state, "the state").close(known["optimizer"]["state"], **NEAR)
    for name in ("lr", "betas", "weight_decay"):
        expect([group[name] for group in groups], name).close(
            [group[name] for group in known["optimizer"]["param_groups"]], rtol=1e-12
        )
    # Into an optimizer that has a momentum and other settings: the file has one, or has none.
    path = str(impl.scratch / "weights.pt")
    for dtype, has_momentum in ((torch.float32, False), (torch.float64, True)):
        weights, momentum, gradient = torch.randn(3, 4, 5, dtype=dtype, generator=torch_rng)
        momentum *= has_momentum
        impl.scenarios.save_weights(path, weights, 1, momentum if has_momentum else None)
        found = impl.scenarios.load_and_step(path, (4, 5), gradient)
        expected = weights - 0.1 * (0.9 * momentum + gradient)
        tolerance = 1e-5 if dtype is torch.float32 else 1e-13
        expect(found, "the weights after a step").close(expected, rtol=0, atol=tolerance)


@pytest.mark.exercise("checkpoint_roundtrip")
def test_every_generator_returns(impl, reference, rng, torch_rng):
    """Loading restores the random state of torch, numpy and Python, and saving does not change
    it"""
    for count in (4, 1):
        saved, resumed, known = saved_and_resumed(impl, reference, rng, torch_rng, count)
        expect(resumed["draws"], "the draws after loading").equals(saved["draws"])
        for name in ("torch", "numpy", "python"):
            draws = known["draws"][name]
            expect(saved["draws"][name], f"{name} after saving").close(draws, rtol=1e-6)
            expect(resumed["draws"][name], f"{name} after loading").close(draws, rtol=1e-6)


@pytest.mark.exercise("checkpoint_roundtrip", needs="test_optimizer_returns")
def test_step_returns(impl, rng, torch_rng):
    """Loading returns the saved step, and weights of any dtype and value, infinity too"""
    path = str(impl.scratch / "run.pt")
    steps = (int(rng.integers(2**53, 2**62)) | 1, 0, int(rng.integers(2, 10**6)), 1)
    dtypes = (torch.float64, torch.bfloat16, torch.float32, torch.float16)
    for step, dtype in zip(steps, dtypes, strict=True):
        weights = torch.randn(20, 30, generator=torch_rng, dtype=dtype)
        weights[0, :2] = torch.tensor([torch.inf, -torch.inf])
        impl.scenarios.save_weights(path, weights, step)
        impl.restart()
        check_loads(impl, path, step, weights)


@pytest.mark.exercise("checkpoint_roundtrip")
def test_the_file_is_the_checkpoint(impl, rng, torch_rng):
    """Checkpoints in different files are independent, and a missing file is an error"""
    saved = {}  # step, weights and first path of each file, by the path that it is moved to
    for name, moved in zip(names(rng, 2), names(rng, 2), strict=True):
        path, (step, weights) = str(impl.scratch / name), drawn(rng, torch_rng, 30, 40)
        impl.scenarios.save_weights(path, weights, step)
        saved[str(impl.scratch / moved)] = step, weights, path
    contents = impl.readers.files_bytes([path for *_, path in saved.values()])
    impl.readers.write_files(dict(zip(saved, contents, strict=True)))
    impl.readers.leave_only(*saved)
    missing = [str(impl.scratch / name) for name in names(rng, 2)]
    for path in shuffled(rng, [*saved, *missing]):
        if path in saved:
            check_loads(impl, path, *saved[path][:2])
        else:
            with pytest.raises(FileNotFoundError):
                impl.scenarios.load_weights(path, (30, 40))


@pytest.mark.exercise("checkpoint_roundtrip", weight=0.5, needs="test_optimizer_returns")
def test_the_file_holds_plain_data(impl, reference, rng, torch_rng):
    """The file of a run loads with weights_only=True, in a process that allows nothing more"""
    path = str(impl.scratch / "run.pt")
    runs_of_model = saved_and_resumed(impl, reference, rng, torch_rng)
    check_model(*runs_of_model)
    found = impl.readers.tensors_in(path)
    for weights in runs_of_model[0]["model"].values():
        is_there = any(weights.dtype is t.dtype and torch.equal(weights, t) for t in found)
        assert is_there, "a tensor of the model is not in the file"


@pytest.mark.exercise("checkpoint_roundtrip", needs="test_optimizer_returns")
def test_a_gpus_checkpoint_loads_without_one(impl, rng, torch_rng):
    """A checkpoint whose tensors were on a GPU loads on a machine without one"""
    name, moved = (str(impl.scratch / name) for name in names(rng, 2))
    step, weights = drawn(rng, torch_rng, 20, 30)
    impl.scenarios.save_weights(name, weights, step)
    impl.readers.tensors_in(name)  # another form than torch's could hold anything
    (content,) = impl.readers.files_bytes([name])
    impl.readers.write_files({moved: saved_on_a_gpu(content)})
    impl.readers.leave_only(moved)
    check_loads(impl, moved, step, weights)


@pytest.mark.exercise("checkpoint_roundtrip", needs="test_optimizer_returns")
def test_what_is_no_checkpoint_of_the_model(impl, rng, torch_rng):
    """A checkpoint of another model, and a file that is no checkpoint, are refused"""
    folder, (step, weights) = impl.scratch, drawn(rng, torch_rng, 7, 9)
    buffers = torch.randn(2, 5, generator=torch_rng)
    own, others, row = (str(folder / name) for name in names(rng, 3))
    impl.scenarios.save_weights(own, weights, step)
    impl.scenarios.save_weights(row, weights[:1], step)
    impl.scenarios.save_buffers(others, *buffers)  # a model with a buffer more
    (content,) = impl.readers.files_bytes([own])
    end = int(rng.integers(len(content) // 2, len(content) - 1000))
    # Without its first byte it is no archive. From a random byte on, torch would read chance as a
    # pickle, which may ask for gigabytes: a MemoryError, in one of 800 cases.
    contents = (b"", content[1:], content[:end], *of_other_programs(weights, step))
    broken = {str(folder / name): part for name, part in zip(names(rng, 5), contents, strict=True)}
    impl.readers.write_files(broken)
    check_loads(impl, own, step, weights)
    # Another shape, as few numbers as one row has, a buffer more, and no checkpoints.
    wrong = [(own, (9, 7)), (row, (7, 9)), (others, (2, 2)), *((path, (7, 9)) for path in broken)]
    for path, shape in shuffled(rng, wrong):
        with refused():
            impl.scenarios.load_weights(path, shape)
    with refused():  # the buffer is missing
        impl.scenarios.load_buffers(own, *buffers)
    found = impl.scenarios.load_buffers(others, torch.zeros(5), buffers[1])
    expect(found, "the buffers").equals(list(buffers))


def of_other_programs(weights, step):
    """Files that hold these weights: alone, and with all of a checkpoint but the random state."""
    model = torch.nn.Linear(*reversed(weights.shape), bias=False)
    state = {"weight": weights}
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9).state_dict()
    parts = {"step": step}
    for suffix in ("", "_state", "_state_dict"):
        parts |= {f"model{suffix}": state, f"optimizer{suffix}": optimizer}
    for content in (state, parts):
        file = io.BytesIO()
        torch.save(content, file)
        yield file.getvalue()


def names(rng, count):
    """Names of files, which say nothing of what is in them."""
    return [f"{n:08x}" for n in rng.choice(2**31, count, replace=False)]


def shuffled(rng, items):
    return [items[i] for i in rng.permutation(len(items))]


class Call:
    """Calls a function when it is unpickled."""

    def __init__(self, function, *args):
        self.function, self.args = function, args

    def __reduce__(self):
        return self.function, self.args


def with_code(path, good):
    """Files with code in them: it makes the folder `path`, and takes memory.

    Args:
        path: of the folder.
        good: the bytes of a good checkpoint. Where its form allows it, the code is also put into
            it, which leaves its values as they are.
    """
    code = [Call(os.mkdir, path), Call(operator.mul, b"x", SEEN)]
    file = io.BytesIO()
    torch.save({"model": code, "optimizer": {}, "step": 1}, file)
    found = [file.getvalue(), pickle.dumps(code)]
    start = pickletools.optimize(pickle.dumps(code, 2)).removesuffix(b".")
    # "0" drops what the code returned.
    edited = with_pickle(good, lambda content: start + b"0" + content[2:])
    return found if edited is None else [*found, edited]


def saved_on_a_gpu(content):
    """A checkpoint as if its tensors had been on a GPU; as it is, where its form is not torch's."""
    here, there = b"X\x03\0\0\0cpu", b"X\x06\0\0\0cuda:0"  # texts in a pickle
    return with_pickle(content, lambda pickled: pickled.replace(here, there)) or content


def with_pickle(content, edit):
    """A file of torch's with another pickle in it; None if it has none."""
    entries, file, edited = small_entries(content), io.BytesIO(), False
    with zipfile.ZipFile(file, "w") as new:
        for name, part in entries.items():
            if name.endswith("/data.pkl") and part.startswith(b"\x80\x02"):
                part, edited = edit(part), True
            new.writestr(name, part)
    return file.getvalue() if edited else None


def small_entries(content):
    """The entries of a zip, if they are small; none of any other content.

    The submission has written it: a kilobyte may unpack to gigabytes. Of these two kinds no more is
    unpacked than an entry's size says.
    """
    kinds = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as file:
            infos = file.infolist()
            is_small = sum(info.file_size for info in infos) <= 2**24
            if is_small and all(info.compress_type in kinds for info in infos):
                return {info.filename: file.read(info) for info in infos}
    except Exception:  # zipfile raises many classes
        pass
    return {}


@pytest.mark.exercise("checkpoint_roundtrip", weight=2, needs="test_optimizer_returns")
def test_loading_runs_no_code(impl, rng, torch_rng):
    """A file with code in it is refused, and the code does not run"""
    folder, states = impl.scratch, {}
    for name in names(rng, 3):
        path, (step, weights) = str(folder / name), drawn(rng, torch_rng, 20, 20)
        impl.scenarios.save_weights(path, weights, step)
        impl.readers.tensors_in(path)  # another form than torch's could hold code unseen
        states[path] = [step, weights]
    # What each good file holds.
    saved = dict(zip(impl.readers.files_bytes(list(states)), states.values(), strict=True))
    ran = names(rng, 1)[0]
    contents = shuffled(rng, [*saved, *with_code(str(folder / ran), next(iter(saved)))])
    files = dict(zip(names(rng, len(contents)), contents, strict=True))
    impl.readers.write_files({str(folder / name): content for name, content in files.items()})
    held = impl.peak_rss()
    for name, content in files.items():
        if content in saved:
            check_loads(impl, folder / name, *saved[content])
        else:
            with refused():
                impl.scenarios.load_weights(str(folder / name), (20, 20))
            # Unlike a folder, which the process could remove, its peak memory stays.
            assert impl.peak_rss() < held + SEEN / 2, "the code in the file has run"
    assert ran not in impl.readers.names_in(str(folder)), "the code in the file has run"


@pytest.mark.exercise("checkpoint_atomic")
def test_failed_save_leaves_the_last_checkpoint(impl, rng, torch_rng):
    """A save that raises half-way keeps the last checkpoint, and neither leaves nor removes
    another file"""

    last = {}
    # A name may end like a temporary file's, or begin like another checkpoint's.
    for name in ("run.tmp", "run.pt.last", "run.pt", *names(rng, 1)):
        path = str(impl.scratch / name)
        for kind in ["good", *shuffled(rng, ["good", "unsaveable", "interrupted"])]:
            weights = torch.randn(60, 50, generator=torch_rng)
            extra = torch.rand(3, generator=torch_rng)
            if kind == "good":
                impl.scenarios.save_extra(path, weights, lambda extra=extra: extra)
                last[name] = [weights, extra]
                continue
            answer = None if kind == "unsaveable" else "interrupt"
            with refused():
                impl.scenarios.save_extra(path, weights, lambda answer=answer: answer)
            found = impl.readers.names_in(str(impl.scratch))
            expect(found, "the files").equals(sorted(last))
            found = impl.scenarios.load_extra(path, (60, 50))
            expect(list(found), "the model's state").equals(last[name])


@pytest.mark.exercise("checkpoint_atomic", weight=0.5)
def test_a_folder_is_no_place_for_a_checkpoint(impl, rng, torch_rng):
    """A path that is a folder is an OSError, and so is one in a folder that does not exist; no
    file is left, and the checkpoint beside it still loads"""
    step, weights = drawn(rng, torch_rng, 20, 30)
    good, folder, missing = names(rng, 3)
    path = str(impl.scratch / good)
    impl.scenarios.save_weights(path, weights, step)
    impl.scenarios.make_folder(str(impl.scratch / folder))
    for wrong in (impl.scratch, impl.scratch / folder, impl.scratch / missing / good):
        with pytest.raises(OSError):
            impl.scenarios.save_weights(str(wrong), weights + 1, step + 1)
    found = impl.readers.names_in(str(impl.scratch))
    expect(found, "the files").equals(sorted([good, folder]))
    check_loads(impl, path, step, weights)


@pytest.mark.exercise("checkpoint_atomic", weight=0.5)
def test_saving_leaves_no_file_open(impl, later, rng, torch_rng):
    """Saving many times leaves no file or folder open, and each checkpoint can be loaded"""
    weights = torch.randn(MANY, 8, 8, generator=torch_rng)
    paths = [str(impl.scratch / name) for name in names(rng, MANY)]
    for step, path in enumerate(paths):
        later.scenarios.save_weights(path, weights[step], step).gives_anything()
    later.check()
    impl.restart()
    for step in rng.choice(MANY, 20, replace=False).tolist():  # nobody knew that it would be these
        check_loads(impl, paths[step], step, weights[step])


@pytest.mark.exercise("checkpoint_atomic", weight=2)
def test_file_is_on_the_disk_before_its_name_is(impl, rng, torch_rng):
    """The last checkpoint is replaced by a rename, once; the new file is synced before it, and the
    folder afterwards"""
    path = str(impl.scratch / "run.pt")
    step, (last, new) = drawn(rng, torch_rng, 2, 2, 2)
    impl.scenarios.save_weights(path, last, step)
    _, events = impl.file_calls("scenarios.save_weights", path, new, step + 1)
    check_file_calls(impl, events, path, step + 1, new)


@pytest.mark.exercise("checkpoint_atomic")
def test_a_name_without_a_folder(impl, rng, torch_rng):
    """A name without a folder is saved in the working folder, which is synced, too"""
    step, weights = drawn(rng, torch_rng, 2, 2)
    saved = str(impl.scratch), "run.pt", weights, step
    _, events = impl.file_calls("scenarios.save_in_folder", *saved)
    check_file_calls(impl, events, str(impl.scratch / "run.pt"), step, weights)


def check_file_calls(impl, events, path, step, new):
    """Checks what a save did to the file run.pt and to its folder, and in which order."""
    check_loads(impl, path, step, new)
    renames = [e for e in events if e[0] == "rename" and "run.pt" in e]
    said = f"final names of the renamed files; all that was done: {events}"
    expect([names[-1] for names in renames], said).equals(["run.pt"])
    renamed = events.index(renames[0])
    synced = [("sync", "run.pt") in events[:renamed], ("sync folder", ".") in events[renamed:]]
    said = f"whether the complete file was synced before, and the folder after, of {events}"
    expect(synced, said).equals([True, True])
