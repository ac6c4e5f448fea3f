"""What the reference queues on a CUDA device; the device is a stand-in that writes it down."""

from contextlib import contextmanager
from types import SimpleNamespace

import pytest
import torch

from solutions.resource_accounting.device import prefetch


class FakeTensor:
    """Notes what is done with it, and on which stream."""

    def __init__(self, name, log):
        self.name, self.log = name, log

    def pin_memory(self):
        return self

    def to(self, device, non_blocking=False):
        assert (device.type, non_blocking) == ("cuda", True)
        self.log.append(("copy", self.name, self.log.stream))
        return self

    def record_stream(self, stream):
        self.log.append(("used on", self.name, stream.name))


class Log(list):
    stream = "main"


@pytest.fixture
def log(monkeypatch):
    log = Log()

    def record_event():
        log.append(event := ("event", sum(entry[0] == "event" for entry in log)))
        return event

    copies = SimpleNamespace(name="copies", record_event=record_event)
    main = SimpleNamespace(name="main", wait_event=lambda event: log.append(("wait for", event)))

    @contextmanager
    def on(stream):
        log.stream = stream.name
        yield
        log.stream = "main"

    monkeypatch.setattr(torch.cuda, "Stream", lambda device: copies)
    monkeypatch.setattr(torch.cuda, "stream", on)
    monkeypatch.setattr(torch.cuda, "current_stream", lambda device: main)
    return log


def test_copies_run_beside_the_work_on_the_batch_before(log):
    """Each batch waits for its own copy, not for that of the next one"""
    batches = (((FakeTensor(f"x{i}", log), FakeTensor(f"y{i}", log))) for i in range(3))
    for batch in prefetch(batches, torch.device("cuda")):
        log.append(("work on", *(tensor.name for tensor in batch)))

    def copied(i):
        return [("copy", f"x{i}", "copies"), ("copy", f"y{i}", "copies"), ("event", i)]

    def used(i):
        marks = [("used on", f"x{i}", "main"), ("used on", f"y{i}", "main")]
        return [("wait for", ("event", i)), *marks, ("work on", f"x{i}", f"y{i}")]

    assert log == [*copied(0), *copied(1), *used(0), *copied(2), *used(1), *used(2)]


def test_batch_before_an_exception_is_handed_out(log):
    def batches():
        yield (FakeTensor("x", log),)
        raise OSError

    moved = prefetch(batches(), torch.device("cuda"))
    assert [tensor.name for tensor in next(moved)] == ["x"]
    with pytest.raises(OSError):
        next(moved)
