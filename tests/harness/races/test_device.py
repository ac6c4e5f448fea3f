"""The CUDA device as NVML shows it. NVML is a stand-in: this shows only what we ask it."""

import sys
from types import SimpleNamespace

import pytest

from assignment.calls import devices
from grader.faults import GraderFault
from grader.races import device


class FakeNvml(SimpleNamespace):
    """Two devices. `slowed` is what they count, and `running` what each look at processes sees."""

    NVML_PERF_POLICY_POWER, NVML_PERF_POLICY_THERMAL, NVML_PERF_POLICY_BOARD_LIMIT = 0, 1, 3

    class NVMLError(Exception):
        pass

    def __init__(self):
        super().__init__(slowed={0: 5, 1: 7, 3: 9}, running=[], looked=0, starts=True)

    def nvmlInit(self):
        if not self.starts:
            raise self.NVMLError("Driver Not Loaded")

    def nvmlDeviceGetHandleByIndex(self, index):
        return ("GPU-a", "GPU-b")[index]

    def nvmlDeviceGetHandleByUUID(self, uuid):
        if uuid not in ("GPU-a", "GPU-b"):
            raise self.NVMLError("Not Found")
        return uuid

    def nvmlDeviceGetUUID(self, handle):
        return handle

    def nvmlDeviceGetName(self, handle):
        return f"device {handle}"

    def nvmlDeviceGetMemoryInfo(self, handle):
        return SimpleNamespace(total=2**36)

    def nvmlDeviceGetViolationStatus(self, handle, policy):
        if self.slowed.get(policy) is None:
            raise self.NVMLError("Not Supported")
        return SimpleNamespace(violationTime=self.slowed[policy])

    def nvmlDeviceGetComputeRunningProcesses(self, handle):
        self.looked += 1
        pids = self.running.pop(0) if self.running else []
        return [SimpleNamespace(pid=pid) for pid in pids]


@pytest.fixture
def nvml(monkeypatch, tmp_path):
    fake = FakeNvml()
    monkeypatch.setitem(sys.modules, "pynvml", fake)
    monkeypatch.setattr(devices, "_before", {})  # the process was started with all devices
    monkeypatch.setattr(device, "LOCKS", tmp_path)
    monkeypatch.setattr(device, "_LEAVING_SECONDS", 0.5)
    return fake


@pytest.mark.parametrize(
    ("visible", "chosen"),
    [
        (None, "GPU-a"),
        ("1", "GPU-b"),
        ("1,0", "GPU-b"),
        ("GPU-b", "GPU-b"),
        (" GPU-a , 1", "GPU-a"),
    ],
)
def test_device_is_the_first_that_the_grader_may_see(nvml, monkeypatch, visible, chosen):
    """NVML numbers devices by itself: a worker is told the UUID"""
    monkeypatch.setattr(devices, "_before", None)
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    if visible is not None:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    devices.hide()  # as the judge does for itself, before it looks for the device
    found = device.find()
    assert found is not None
    assert (found.identity, found.name, found.memory) == (chosen, f"device {chosen}", 2**36)


def test_what_is_missing_is_named(nvml, monkeypatch):
    assert device.why_none() == ""
    monkeypatch.setattr(devices, "_before", {"CUDA_VISIBLE_DEVICES": ""})
    assert device.why_none() == "CUDA_VISIBLE_DEVICES hides all devices"
    monkeypatch.setattr(devices, "_before", {"CUDA_VISIBLE_DEVICES": "GPU-c"})
    assert device.why_none() == "NVIDIA's driver shows no device: Not Found"
    nvml.starts = False
    assert device.why_none() == "NVIDIA's driver shows no device: Driver Not Loaded"
    monkeypatch.setitem(sys.modules, "pynvml", None)  # its import fails
    assert device.why_none() == "nvidia-ml-py is not installed: pip install nvidia-ml-py"
    assert device.find() is None


def test_device_that_is_there_and_cannot_be_used_is_not_passed_over(nvml, monkeypatch):
    monkeypatch.setattr(device.Path, "exists", lambda self: str(self) == "/dev/nvidiactl")
    assert device.why_unused() == ""
    nvml.starts = False
    assert device.why_unused() == "NVIDIA's driver shows no device: Driver Not Loaded"
    monkeypatch.setattr(device.Path, "exists", lambda self: False)
    assert device.why_unused() == ""


def test_disturbance_is_what_was_counted_since_the_last_look(nvml):
    """What was counted before the race is not its own; heat that is over by now is"""
    cuda = device.Cuda()
    assert cuda.disturbance() == ""
    nvml.slowed = {0: 99, 1: 8, 3: 9}  # a power limit slows every long run down, on both sides
    assert cuda.disturbance() == "it is too hot"
    assert cuda.disturbance() == ""
    nvml.slowed = {0: 99, 1: 9, 3: 10}
    assert cuda.disturbance() == "it is too hot, its power is cut"
    nvml.slowed = {}  # a device that counts nothing
    assert device.Cuda().disturbance() == ""


def test_worker_that_has_just_ended_does_not_count_as_another_process(nvml, monkeypatch):
    monkeypatch.setattr(device, "_LEAVING_SECONDS", 60.0)  # whatever stops this process meanwhile
    cuda = device.Cuda()
    nvml.running = [[4711], [4711], []]
    with cuda.exclusively():
        pass
    assert nvml.looked == 3


def test_process_that_stays_keeps_a_race_from_starting(nvml):
    nvml.running = [[4711]] * 1000
    alone = device.Cuda().exclusively()
    with pytest.raises(GraderFault, match="other processes use device GPU-a: 4711"), alone:
        pass
