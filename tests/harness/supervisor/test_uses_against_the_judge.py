"""Uses of a test's functions that cost the judge much: memory, time, or its score."""

import gc
import itertools

import msgspec
import pytest
import torch

from grader.causes import Cause
from grader.faults import GraderFault, SubmissionFailure
from grader.judge.effort import Effort
from grader.judge.verdict import cause_of

MODULE = """
import os
import struct
import sys
import time

import torch


def inside(function):
    cells = dict(zip(function.__code__.co_freevars, function.__closure__))
    return cells["self"].cell_contents, cells["number"].cell_contents


def ends_in_a_use(function):
    stand_ins, number = inside(function)
    from grader.worker.channel import send

    use = {"use": 0, "function": number, "args": (torch.zeros(2**18),), "kwargs": {}}
    send(stand_ins._channel, stand_ins._call_id, use)
    os._exit(0)


def asks_often(function, size, times):
    for _ in range(times):
        function(size)


def gives_much(function, times):
    given = torch.zeros(100 * 2**20 // 8, dtype=torch.float64)
    for _ in range(times):
        function(given)


def text(value):
    return b"s" + struct.pack("<I", len(value)) + value


def gives_many_values(function, times, values):
    # Cheap for the worker: it encodes them once.
    stand_ins, number = inside(function)
    channel, call_id = stand_ins._channel, stand_ins._call_id
    given = b"(" + struct.pack("<I", 1) + b"[" + struct.pack("<I", values) + b"N" * values
    for i in range(times):
        body = b"{" + struct.pack("<I", 4) + text(b"use") + b"i" + struct.pack("<q", i)
        body += text(b"function") + b"i" + struct.pack("<q", number) + text(b"args") + given
        body += text(b"kwargs") + b"{" + struct.pack("<I", 0)
        whole = struct.pack("<4sxxxxQQ", b"RAG1", call_id, len(body)) + body
        while whole:
            whole = whole[os.write(channel, whole) :]
        os.read(channel, 2**16)
    stand_ins._uses = times


def gives_for_ever(size, values):
    item = [torch.zeros(size), [None] * values]
    while True:
        yield item


def gives_values(count):
    return [None] * count


def never_reads(function):
    stand_ins, number = inside(function)
    from grader.worker.channel import send

    for i in range(900):
        use = {"use": i, "function": number, "args": (), "kwargs": {}}
        send(stand_ins._channel, stand_ins._call_id, use)
    time.sleep(1e6)


def drips(function):
    stand_ins, _ = inside(function)
    channel, call_id = stand_ins._channel, stand_ins._call_id
    os.write(channel, struct.pack("<4sxxxxQQ", b"RAG1", call_id, 200 * 2**20))
    while True:
        os.write(channel, b"x")
        time.sleep(2e-4)
"""


@pytest.fixture
def impl(sandboxed):
    return sandboxed(toy=MODULE)


@pytest.mark.parametrize("function", ["never_reads", "drips"])
def test_worker_that_has_not_answered_may_not_sleep(quick_grader, sandboxed, function):
    """What can be read of it is no answer yet"""
    limits = msgspec.structs.replace(quick_grader.manifest.limits, seconds=0.5)
    with pytest.raises(SubmissionFailure) as caught:
        sandboxed(toy=MODULE, limits=limits).call(f"toy.{function}", lambda: bytes(2**14))
    assert caught.value.cause is Cause.TIMEOUT


def test_process_that_ends_while_a_function_measures_it_is_no_fault_of_the_grader(impl):
    def measures(_):
        return impl.peak_rss()

    with pytest.raises(SubmissionFailure, match="exit code 0"):
        impl.toy.ends_in_a_use(measures)
    assert impl.requests == 1


def test_what_uses_get_is_limited_in_sum(impl):
    """A test may keep what it draws"""
    drawn = []

    def draws(count):
        drawn.append(torch.zeros(count, dtype=torch.uint8))
        return drawn[-1]

    with pytest.raises(SubmissionFailure, match="given too much"):
        impl.toy.asks_often(draws, 2**26, 10_000)
    assert len(drawn) == 4


def test_memory_that_uses_take_of_the_judge_is_limited(impl):
    kept = []
    gc.collect()  # what earlier tests have left would make room when it is freed meanwhile

    def keeps(count):
        kept.append(torch.zeros(count, dtype=torch.uint8))

    with Effort().bounded(), pytest.raises(GraderFault, match="allocate memory") as caught:
        impl.toy.asks_often(keeps, 2**26, 10_000)
    assert cause_of(caught.value, impl.requests) is Cause.TOO_LARGE
    assert len(kept) < 10


def test_what_uses_give_is_limited_in_sum(impl):
    given = []

    def keeps(value):
        given.append(value)

    impl.toy.gives_much(keeps, 2)
    with pytest.raises(SubmissionFailure) as failed:
        impl.toy.gives_much(keeps, 12)
    assert failed.value.cause is Cause.TOO_LARGE


def test_judges_time_for_reading_uses_is_limited(impl):
    given = []

    def counts(value):
        given.append(len(value))

    with pytest.raises(SubmissionFailure) as failed:  # 16 s of the judge's, 0.1 s of the worker's
        impl.toy.gives_many_values(counts, 30, 999_900)
    assert failed.value.cause is Cause.TOO_LARGE


@pytest.mark.parametrize(("size", "values"), [(2**23, 0), (0, 200_000)])
def test_all_items_of_an_iterator_fit_into_one_message(impl, size, values):
    """A test may ask for all of them: the judge would hold what one process may send in its time"""
    items = impl.iterate("toy.gives_for_ever", size, values)
    with pytest.raises(SubmissionFailure, match=r"larger than|more than"):
        list(itertools.islice(items, 10))


def test_reading_an_answer_is_charged(impl):
    assert impl.toy.gives_values(1) == [None]
    before = impl._worker._meter.judges_cpu
    assert len(impl.toy.gives_values(200_000)) == 200_000
    assert impl._worker._meter.judges_cpu > 10 * before
