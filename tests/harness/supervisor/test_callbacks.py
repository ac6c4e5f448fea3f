"""A test's functions, used by code behind the process boundary and in the test's own process."""

import threading
import time

import pytest

from assignment.calls.callbacks import KillProcess
from assignment.calls.plain import NotPlainData
from assignment.expect import expect
from assignment.manifest import Limits
from grader.causes import Cause
from grader.faults import GraderFault, SubmissionFailure
from grader.supervisor import callbacks, meter
from grader.supervisor.callbacks import Callbacks

MODULE = """
import _thread
import builtins
import threading
import torch


def apply(function, *args, **kwargs):
    return function(*args, **kwargs)


def twice(first, second):
    return [first(1), second(2), first(3)]


def total(numbers):
    return sum(numbers)


def catches(function):
    try:
        return function()
    except Exception as error:
        return type(error).__name__, str(error)


def one_by_one(numbers):
    for number in numbers:
        print("before", number)
        yield 10 * number


def a_list(numbers):
    return [numbers[:], numbers[:]]


def fails_third():
    yield 1
    yield 2
    raise KeyError("third")


def odd_items():
    yield object()


def no_iterator():
    return 7


def forever(function):
    while True:
        function(torch.ones(2))


def sends_ahead(function, times):
    cells = dict(zip(function.__code__.co_freevars, function.__closure__))
    stand_ins, number = cells["self"].cell_contents, cells["number"].cell_contents
    from grader.worker.channel import receive, send
    channel, call = stand_ins._channel, stand_ins._call_id
    for i in range(times):
        send(channel, call, {"use": i, "function": number, "args": (), "kwargs": {}})
    for i in range(times):
        receive(channel)
    return times


def in_threads(function):
    threads = [threading.Thread(target=function, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


kept = []
over = _thread.allocate_lock()


def leaves_a_thread(function, other):
    def run():
        while not other():
            pass
        kept.append(function(7))
        over.release()

    over.acquire()
    _thread.start_new_thread(run, ())  # which `threading` does not count


def joins():
    over.acquire()
    return kept


def spins(function):
    function()
    while True:
        pass


def remembers(value=None):
    if value is not None:
        kept.append(value)
    return kept


def asserts():
    kept.append(1)
    assert not kept, "mine"


def writes(path, text):
    with open(path, "w") as file:
        file.write(text)
    kept.append(text)
"""


@pytest.fixture
def impl(in_both):
    """The module behind the boundary, and imported here."""
    return in_both(toy=MODULE)


def test_functions_are_used_in_order_with_copies_of_their_arguments(impl):
    seen = []

    def note(name, *args, **kwargs):
        seen.append((name, args, kwargs))
        return len(seen)

    def first(n):
        return note("first", n)

    def second(n):
        return note("second", n)

    assert impl.toy.twice(first, second) == [1, 2, 3]
    assert seen == [("first", (1,), {}), ("second", (2,), {}), ("first", (3,), {})]

    def changes(values, *, more):
        values.append(4)
        return values, more

    given = [1, 2, 3]
    assert impl.toy.apply(changes, given, more={"a": (1, None)}) == (
        [1, 2, 3, 4],
        {"a": (1, None)},
    )
    assert given == [1, 2, 3]


def test_generator_gives_one_item_at_a_time(impl):
    taken = []

    def numbers():
        for i in range(4):
            taken.append(i)
            yield i

    items = impl.iterate("toy.one_by_one", numbers())
    assert taken == []
    assert next(items) == 0
    assert taken == [0]
    assert list(items) == [10, 20, 30]
    assert impl.toy.total(numbers()) == 6
    with pytest.raises(StopIteration):
        next(items)
    assert [list(item) for item in impl.iterate("toy.a_list", [1, 2])] == [[1, 2], [1, 2]]


def test_exceptions_travel_both_ways(impl):
    def raises():
        raise LookupError("of the test")

    assert tuple(impl.toy.catches(raises)) == ("LookupError", "of the test")
    with pytest.raises(LookupError):
        impl.toy.apply(raises)
    items = impl.iterate("toy.fails_third")
    assert [next(items), next(items)] == [1, 2]
    with pytest.raises(KeyError):
        next(items)
    with pytest.raises(TypeError):
        impl.iterate("toy.no_iterator")
    failures = SubmissionFailure, NotPlainData
    with pytest.raises(failures, match=r"what toy\.odd_items handed out is"):
        next(impl.iterate("toy.odd_items"))


def test_exception_of_a_function_names_no_test(sandboxed):
    """Python's own text has the names of the functions around it"""

    def function():
        return 1

    def pass_one():
        return function(1)

    _, text = sandboxed(module=MODULE).module.catches(pass_one)
    assert text == "function() takes 0 positional arguments but 1 was given"


def test_failed_assertion_in_a_function_is_the_verdict_even_if_it_is_caught(impl):
    def checks():
        expect(1, "one").equals(2)

    with pytest.raises(AssertionError, match="one"):
        impl.toy.catches(checks)


def test_process_is_killed_at_the_moment_a_function_chooses(impl):
    uses = []

    def third(tensor):
        uses.append(tensor.tolist())
        if len(uses) == 3:
            raise KillProcess

    assert impl.kill_during("toy.forever", third)
    assert uses == [[1, 1]] * 3
    assert not impl.kill_during("toy.total", [1, 2])


def test_thread_of_a_submission_may_use_a_function(impl):
    seen = []
    impl.toy.in_threads(lambda i: seen.append(i))
    assert sorted(seen) == [0, 1, 2, 3]


def test_reader_reads_what_was_written(impl):
    path = str(impl.scratch / "file")
    impl.toy.writes(path, "words")
    assert impl.readers.file_bytes(path) == b"words"
    assert "file" in impl.readers.names_in(str(impl.scratch))
    with pytest.raises(FileNotFoundError):
        impl.readers.file_bytes(path + "s")


# --- in the grader alone -------------------------------------------------------------------------


def test_reader_runs_after_the_process_of_the_submission(sandboxed):
    impl = sandboxed(toy=MODULE)
    assert impl.toy.remembers(1) == [1]
    pid = impl._worker.process.pid
    path = str(impl.scratch / "file")
    impl.toy.writes(path, "words")
    for missing in (impl.readers.toy, impl.scenarios.toy, impl.programs.toy):
        with pytest.raises(GraderFault, match="is called 'toy'"):
            missing(path)
    assert impl._worker.process.pid == pid
    assert impl.readers.file_bytes(path) == b"words"
    assert impl._worker is None
    assert impl.toy.remembers() == []
    assert impl._worker.process.pid != pid


def test_assertion_of_the_submissions_ends_no_process(sandboxed):
    impl = sandboxed(toy=MODULE)
    with pytest.raises(AssertionError, match="mine"):
        impl.toy.asserts()
    assert impl.toy.remembers() == [1]
    assert impl.requests == 2


def test_thread_that_outlives_its_call_waits_for_the_next(sandboxed):
    impl = sandboxed(toy=MODULE)
    stop = threading.Event()
    impl.toy.leaves_a_thread(lambda n: n, lambda: stop.is_set())
    stop.set()
    with pytest.raises(SubmissionFailure):  # it uses functions of a call that has ended
        impl.toy.joins()


def test_uses_are_counted(sandboxed, monkeypatch):
    monkeypatch.setattr(callbacks, "MAX_USES", 300)
    impl = sandboxed(toy=MODULE, limits=Limits(seconds=60.0, memory_mib=512))
    with pytest.raises(SubmissionFailure, match="more than 300 times") as failed:
        impl.toy.forever(lambda _: None)
    assert failed.value.cause is Cause.PROTOCOL
    assert impl.toy.total([1, 2]) == 3  # in a new process


def test_judges_time_is_not_charged(sandboxed):
    """The function takes longer than the call may. A machine that stops adds one sample, 0.2 s."""
    limits = Limits(seconds=0.5, memory_mib=512)
    impl = sandboxed(toy=MODULE, limits=limits)
    impl.toy.total([1])
    assert impl.toy.apply(lambda: time.sleep(1.0)) is None
    assert impl.charged < 0.5
    with pytest.raises(SubmissionFailure) as failed:
        impl.toy.spins(lambda: time.sleep(0.1))
    assert failed.value.cause is Cause.TIMEOUT


def test_what_a_worker_holds_is_checked_after_uses_that_were_sent_ahead(
    sandboxed, quick_grader, monkeypatch, tmp_path
):
    """As its time is. Here it is what the worker writes, where nothing else bounds that"""
    monkeypatch.setattr(quick_grader.zygote, "unbounded_folders", lambda _: (tmp_path,))
    monkeypatch.setattr(meter, "DISK_FILES", 3)
    monkeypatch.setattr(meter, "_CHECK_SECONDS", 0.0)
    impl = sandboxed(toy=MODULE, limits=Limits(seconds=60.0, memory_mib=512))
    uses = []

    def make_file() -> None:
        uses.append((tmp_path / str(len(uses))).touch())

    with pytest.raises(SubmissionFailure) as failed:
        impl.toy.sends_ahead(make_file, 10)
    assert failed.value.cause is Cause.DISK
    assert len(uses) == 4


def test_iterator_ends_with_its_process(sandboxed):
    impl = sandboxed(toy=MODULE)
    items = impl.iterate("toy.one_by_one", [1, 2])
    assert next(items) == 10
    impl.restart()
    with pytest.raises(GraderFault, match="its process had ended"):
        next(items)


USE = {"use": 0, "function": 0, "args": (), "kwargs": {}}


ODD = {
    "use": (1, True, -1),
    "function": (1, -1, False, "0"),
    "args": ([], None),
    "kwargs": ([], {1: 2}),
}


@pytest.mark.parametrize("changed", [{name: odd} for name in ODD for odd in ODD[name]], ids=str)
def test_use_of_another_form_is_refused(changed):
    callbacks = Callbacks()
    callbacks.add(lambda: None)
    with pytest.raises(SubmissionFailure, match="unknown form"):
        callbacks.use_in({**USE, **changed})


def test_use_is_accepted_once():
    callbacks = Callbacks()
    callbacks.add(lambda: None)
    assert callbacks.use_in(dict(USE)) is not None
    with pytest.raises(SubmissionFailure, match="unknown form"):
        callbacks.use_in(dict(USE))


@pytest.mark.parametrize("answer", [None, 1, {"result": 1}, {**USE, "result": 1}, {"use": 0}])
def test_answer_is_no_use(answer):
    assert Callbacks().use_in(answer) is None
