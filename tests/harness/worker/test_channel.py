"""What a worker reads of the judge."""

import os

import torch

from grader.wire import arguments, frames
from grader.worker import channel


def test_worker_reads_whatever_the_judge_may_send():
    """Once a call ended the worker if its arguments were larger than the largest answer"""
    sent = torch.ones(frames.DEFAULT_CAPS.size, dtype=torch.uint8)
    file = os.memfd_create("frame")
    try:
        for part in arguments.encode(7, [sent, "more"]):
            assert os.write(file, part) == len(memoryview(part).cast("B"))
        os.lseek(file, 0, os.SEEK_SET)
        call_id, (received, more) = channel.receive(file)
    finally:
        os.close(file)
    assert (call_id, more) == (7, "more")
    assert torch.equal(received, sent)
