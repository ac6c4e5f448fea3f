"""Attacks on the test's own functions, and on the iterators that a test asks for more."""

import builtins
import copy
import ctypes
import itertools
import os
import pickle
import random
import struct
import sys
import threading

import numpy as np
import torch

from grader.wire.frames import HEADER
from grader.worker import stand_ins
from grader.worker.channel import receive, send

from .channel import RESULT, channel, current, frame, raw_frame, write


def inside(stand_in):
    """The worker's own object that talks to the judge, and the number of a stand-in."""
    cells = dict(zip(stand_in.__code__.co_freevars, stand_in.__closure__))
    return cells["self"].cell_contents, cells["number"].cell_contents


def use(number, turn=0):
    """The message that uses a function."""
    return {"use": turn, "function": number, "args": (), "kwargs": {}}


def received(us, count):
    return [receive(us._channel)[1]["returned"] for _ in range(count)]


kept = []


def keeps_a_stand_in(function, *, warmup=2, repeats=5, synchronize=None, clock=None):
    """time_function: keeps the stand-ins of its first call, and uses those in later ones"""
    kept.extend([] if kept else [clock or function, synchronize or function])
    times = []
    for _ in range(repeats):
        try:
            before = kept[0]()
            kept[1]()
            times.append(kept[0]() - before)
        except Exception:  # of the test's own function
            times.append(0.0)
    return times


def answers_uses_itself(function, *, warmup=2, repeats=5, synchronize=None, clock=None):
    """time_function: has every use answered in its own process, by a channel of its own"""
    ticks = itertools.count()
    stand_ins.send = lambda channel, call_id, value, what: None
    stand_ins.receive = lambda channel: (0, {"returned": float(next(ticks))})
    times = []
    for _ in range(warmup + repeats):
        before = (clock or function)()
        function()
        times.append((clock or function)() - before)
    return times[warmup:]


def uses_an_old_number(function, *, warmup=2, repeats=5, synchronize=None, clock=None):
    """time_function: repeats the number of a use, to be answered twice for one reading"""
    us, number = inside(clock or function)
    for turn in (0, 0, 1):
        send(us._channel, us._call_id, use(number, turn))
        receive(us._channel)
    return [function() or clock() for _ in range(repeats)]


def uses_under_another_call(function, *, warmup=2, repeats=5, synchronize=None, clock=None):
    """time_function: uses functions under the ids of calls to come and of calls that are over"""
    us, number = inside(clock or function)
    for call_id in (us._call_id + 1, us._call_id - 1, 2**64 - 1, 0):
        send(us._channel, call_id, use(number))
    return received(us, repeats)


def uses_functions_of_nobody(function, *, warmup=2, repeats=5, synchronize=None, clock=None):
    """time_function: uses functions by numbers that no test has handed out, or that are none"""
    us, _ = inside(function)
    odd = [3, -1, 2**62, 2**4000, True, None, "0", 0.0, [0], b"\0", torch.tensor(0)]
    send(us._channel, us._call_id, use(random.choice(odd)))
    return received(us, 1) * repeats


def uses_of_odd_form(function, *, warmup=2, repeats=5, synchronize=None, clock=None):
    """time_function: sends uses whose fields are missing, too many, or of another kind"""
    us, number = inside(clock or function)
    good = use(number)
    odd = [
        {**good, "args": []},
        {**good, "args": np.zeros(2)},
        {**good, "args": None},
        {**good, "kwargs": {0: 1}},
        {**good, "kwargs": {True: 1}},
        {**good, "kwargs": []},
        {**good, "use": False},
        {**good, "use": torch.tensor(0)},
        {**good, "result": 0.0},
        {"use": 0, "function": number},
    ]
    send(us._channel, us._call_id, random.choice(odd))
    return received(us, 1) * repeats


def uses_after_its_answer(function, *, warmup=2, repeats=5, synchronize=None, clock=None):
    """time_function: answers first, and has the clock read by uses that it sends after that"""
    us, number = inside(clock or function)
    send(us._channel, us._call_id, {"result": [0.0] * repeats})
    for turn in range(2 * repeats):
        send(us._channel, us._call_id, use(number, turn))
    return received(us, repeats)


def uses_ahead_of_their_answers(function, *, warmup=2, repeats=5, synchronize=None, clock=None):
    """time_function: sends all its uses in one write before it reads an answer"""
    us, number = inside(clock or function)
    turns = range(2 * repeats)
    os.write(us._channel, b"".join(frame(us._call_id, use(number, turn)) for turn in turns))
    times = [receive(us._channel)[1].get("returned") or 0.0 for _ in turns]
    return [after - before for before, after in zip(times[::2], times[1::2])][warmup:]


def uses_by_two_threads_at_once(function, *, warmup=2, repeats=5, synchronize=None, clock=None):
    """time_function: has two threads use the clock at one time, past the lock between them"""
    us, number = inside(clock or function)

    def use_clock():
        for turn in range(5):
            send(us._channel, us._call_id, use(number, turn))
            both.wait()

    both = threading.Barrier(2)
    threads = [threading.Thread(target=use_clock) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return received(us, repeats)


def uses_for_ever(function, *, warmup=2, repeats=5, synchronize=None, clock=None):
    """time_function: reads the clock for ever, and never lets the call end"""
    us, number = inside(function)
    if clock is not None:
        send(us._channel, us._call_id, use(0, turn=9999))
        return received(us, 1)
    uses = b"".join(frame(us._call_id, use(number, turn)) for turn in range(12_000))
    threading.Thread(target=drain, args=[us._channel], daemon=True).start()
    while uses:
        uses = uses[os.write(us._channel, uses[: 2**16]) :]
    threading.Event().wait()


def drain(socket):
    while os.read(socket, 2**20):
        pass


def uses_with_keywords_for_itself(function, *, warmup=2, repeats=5, synchronize=None, clock=None):
    """time_function: gives functions keywords that replace self and defaults, with odd letters"""
    deep = 0.0
    for _ in range(20):
        deep = {"_now": deep}
    names = ["self", "", "\0", "é", "launches", "__class__", "function", "x" * 100_000]
    times = []
    for name in names:
        for called in (function, clock or function, synchronize or function):
            try:
                times.append(called(**{name: deep}))
            except Exception:
                pass
    return times[:repeats]


class Batches:
    """An iterator that does something else for the next batch, which it may ask the test for."""

    def __init__(self, batches, next_item):
        self.batches, self.next_item = iter(batches), next_item

    def __iter__(self):
        return self

    def __next__(self):
        return self.next_item(self.batches)


def iterator_ends_early(batches, device):
    """prefetch: ends its iterator by a StopIteration that it raises and throws in the midst"""
    ends = iter([StopIteration(((1,),), "and more")])

    def end(_):
        raise next(ends, None) or StopIteration(1, 2, 3)

    return Batches(batches, end)


def iterator_answers_the_first_call(batches, device):
    """prefetch: answers requests for batches under the id of the call that made the iterator"""

    def answer(batches):
        write(frame(current() - 1, {"result": next(batches)}))
        os._exit(0)

    return Batches(batches, answer)


def iterator_answers_twice(batches, device):
    """prefetch: answers each request for a batch twice, to be ahead of the next request"""

    def answer(batches):
        batch = next(batches)
        for _ in range(2):
            write(frame(current(), {"result": batch}))
        return batch

    return Batches(batches, answer)


def iterator_ends_and_gives(batches, device):
    """prefetch: says in one answer that the iterator has ended and what comes next"""

    def answer(batches):
        claim = {"ended": True, "result": next(batches), "state": "passed"}
        write(frame(current(), claim))
        os._exit(0)

    return Batches(batches, answer)


def iterator_fills_the_judge(batches, device):
    """prefetch: hands out long lists without end, for a test that asks for all of them"""
    body = RESULT + b"[" + struct.pack("<I", 300_000) + b"N" * 300_000

    def serve_for_ever(_):
        number = current()
        while True:
            write(raw_frame(number, body))
            number = HEADER.unpack(os.read(channel(), 2**16)[: HEADER.size])[1]

    return Batches((), serve_for_ever)


def a_million_tensors():
    """A list of empty tensors: each has a name, a shape, a size, and fills up to 16 bytes."""
    empty = b"t" + struct.pack("<I", 7) + b"float32" + bytes([1]) + bytes(16)
    parts = [RESULT + b"[" + struct.pack("<I", 900_000)]
    at = len(parts[0])
    for _ in range(48):  # then the padding repeats
        part = empty + bytes(-(at + len(empty)) % 16)
        parts.append(part)
        at += len(part)
    return b"".join(parts) + parts[-1] * (900_000 - 48)


def iterator_of_a_million_tensors(batches, device):
    """prefetch: hands out a million tensors, made once, which take the judge minutes to read"""
    body = a_million_tensors()

    def answer(_):
        write(raw_frame(current(), body))
        os._exit(0)

    return Batches((), answer)


def iterator_of_objects(batches, device):
    """prefetch: hands out iterators, lambdas and itself in place of batches, each time another"""
    odd = itertools.cycle([lambda: 0, Batches((), next), iter([1]), Batches, NotImplemented, ...])
    return Batches((), lambda _: next(odd))


def iterator_of_the_test_itself(batches, device):
    """prefetch: puts the test's own generator among the iterators that the serve loop has kept"""
    caller = sys._getframe()
    while "iterators" not in caller.f_locals:
        caller = caller.f_back
    own = iter(batches)

    class Own(dict):
        def __getitem__(self, call_id):
            return "scenarios.prefetched", own

    caller.f_locals["iterators"] = Own(caller.f_locals["iterators"])
    ctypes.pythonapi.PyFrame_LocalsToFast(ctypes.py_object(caller), ctypes.c_int(0))
    return iter(())


class Kind(type(Exception)):
    def __call__(cls, *args):
        return StopIteration()


class Batch(LookupError, metaclass=Kind):
    pass


def replaces_the_tests_exceptions(batches, device):
    """prefetch: has the exceptions of the test's functions become others on their way"""
    for name in ("LookupError", "StopIteration", "RuntimeError", "KeyError"):
        setattr(builtins, name, Batch)
    return itertools.chain([(1,)], batches)


def works_on(generator):
    yield lambda: generator.close()
    yield lambda: generator.throw(StopIteration)
    yield lambda: generator.send([])
    yield lambda: generator.gi_frame.f_locals["batches"]
    yield lambda: generator._take(1)
    yield lambda: generator._take(value=[])
    yield lambda: pickle.loads(pickle.dumps(generator))
    yield lambda: copy.deepcopy(generator)._take.__closure__
    yield lambda: generator.__setstate__(0)
    yield lambda: generator.__reduce__()[1][0].gi_code


def works_the_generator(batches, device):
    """prefetch: closes, restarts, throws into, copies and feeds the test's own generator"""
    if isinstance(batches, list):
        return iter(batches[:1] * 3)
    won = False
    for attempt in works_on(batches):
        try:
            result = attempt()
            won |= result is not None and not callable(result) and type(result) is not tuple
        except Exception:
            pass
    return iter(batches) if won else iter([(0,)])
