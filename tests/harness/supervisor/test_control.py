"""The control socket: a reply reaches the request that it answers, or none."""

import contextlib
import errno
import itertools
import os
import resource
import socket
from functools import partial

import pytest

from grader.faults import GraderFault
from grader.signals import Stopped
from grader.supervisor.control import Control, PendingReply
from grader.wire import messages
from tests.harness.conftest import MAX_WAIT
from tests.harness.judge.interrupted import interrupted

REPLIES = 4


class Rig:
    """A control socket, and the other end, where the replies 0, 1, 2 … are already sent."""

    def __init__(self) -> None:
        self.ours, self.theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.theirs.setblocking(False)
        for number in range(REPLIES):
            messages.send(self.theirs, messages.CpuTime(seconds=number))
        self.control = Control(self.ours)
        self.replies: dict[int, PendingReply] = {}
        self._ids = itertools.count()

    def request(self) -> PendingReply:
        number = next(self._ids)
        request = messages.Reap(pid=number, scratch="", keep_scratch=False)
        self.replies[number] = self.control.request(request)
        return self.replies[number]

    def run(self) -> None:
        first, second = self.request(), self.request()
        second.wait(messages.CpuTime)
        first.wait(messages.CpuTime)

    def received(self) -> list[int]:
        """The numbers of the requests that arrived, in order."""
        found = []
        while True:
            try:
                found.append(messages.receive(self.theirs)[0].pid)
            except ConnectionResetError:  # once, if a closed end had replies to read
                continue
            except (BlockingIOError, EOFError):
                return found

    def close(self) -> None:
        self.ours.close()
        self.theirs.close()


@pytest.mark.parametrize(
    "error",
    [partial(Stopped, "a test"), MemoryError, partial(OSError, errno.EMFILE, "")],
    ids=["a signal", "no memory", "no descriptors"],
)
def test_exception_at_any_step_gives_no_request_anothers_reply(error):
    steps = 0
    for step, rig in interrupted(Rig, Rig.run, error):
        with contextlib.suppress(GraderFault):
            rig.request()
        arrived = rig.received()
        for number, reply in rig.replies.items():
            with contextlib.suppress(GraderFault):
                assert reply.wait(messages.CpuTime).seconds == arrived.index(number), step
        steps += 1
    assert steps > 50


def test_zygote_that_is_gone_is_a_fault():
    rig = Rig()
    rig.theirs.close()
    with pytest.raises(GraderFault, match="the zygote cannot be reached"):
        rig.request()
    rig.close()


def test_reply_of_another_kind_is_a_fault_and_no_verdict():
    rig = Rig()
    with pytest.raises(GraderFault, match="replied to another request"):
        rig.request().wait(messages.Done)
    rig.close()


def test_reply_whose_descriptors_find_no_room_is_a_failed_one():
    """Later replies still come: only this one is lost"""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    control = Control(ours)
    usual = resource.getrlimit(resource.RLIMIT_NOFILE)
    lowest = os.dup(0)
    os.close(lowest)
    messages.send(theirs, messages.Forked(pid=7), [0])
    resource.setrlimit(resource.RLIMIT_NOFILE, (lowest, usual[1]))
    try:
        lost, _ = control.receive(MAX_WAIT)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, usual)
    assert isinstance(lost, messages.Failed)
    assert "Too many open files" in lost.reason
    messages.send(theirs, messages.Done())
    assert control.receive(MAX_WAIT) == (messages.Done(), [])
    control.close()
    theirs.close()
