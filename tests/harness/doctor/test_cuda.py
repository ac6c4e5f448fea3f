"""`doctor --cuda` against a driver without a device, and its report."""

import io
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.console import Console

from grader.doctor import cuda as cuda_doctor
from grader.doctor.cuda import CudaDiagnosis, Rung
from grader.doctor.rung import EXCEPTIONS, LAYERS
from grader.sandbox import landlock
from tests.harness.conftest import REPOSITORY

SOURCE = REPOSITORY / "tests" / "harness" / "sandbox" / "fake_driver.c"
DRIVER_STEPS = (
    "dlopen libcuda.so.1",
    "cuInit",
    "cuDeviceGetCount",
    "context",
    "current context",
    "64 MiB",
    "64 MiB, pinned",
)
needs_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
needs_root = pytest.mark.skipif(os.getuid() != 0, reason="only root may write below /usr/local")
needs_landlock = pytest.mark.skipif(not landlock.abi(), reason="this kernel has no Landlock")


@pytest.fixture(scope="module")
def driver() -> Iterator[None]:
    """The driver, where only LD_LIBRARY_PATH finds it: not below /tmp, which a worker has anew."""
    with (
        tempfile.TemporaryDirectory(dir="/usr/local") as folder,
        pytest.MonkeyPatch.context() as monkeypatch,
    ):
        Path(folder).chmod(0o755)
        library = f"{folder}/libcuda.so.1"
        command = ["cc", "-shared", "-fPIC", "-pthread", "-Wall", "-Werror", "-o", library]
        subprocess.run([*command, str(SOURCE)], check=True)
        monkeypatch.setenv("LD_LIBRARY_PATH", folder)
        yield


@needs_compiler
@needs_root
@needs_landlock
@pytest.mark.parametrize(
    ("layer", "exceptions", "refused"),
    [
        pytest.param(
            "landlock",  # in the order in which the driver asks
            ("libraries", "/sys", "/proc", "thread names", "device nodes"),
            ("libcuda.so.1", "/sys/module", "/proc/devices", "comm", ""),
            marks=pytest.mark.long,
        ),
        # Without the first exception nothing else is refused than with it. With all of them it lets
        # the driver through: see the next test.
        ("seccomp", EXCEPTIONS["seccomp"], ("socket", "memfd_create")),
    ],
)
def test_each_exception_of_a_layer_brings_the_driver_further(driver, layer, exceptions, refused):
    assert set(exceptions) == set(EXCEPTIONS[layer])
    for count, reason in enumerate(refused, len(exceptions) - len(refused)):
        found = cuda_doctor.try_rung((layer,), exceptions[:count], "cuda", "0", DRIVER_STEPS)
        assert (found.failed == "") == (reason == ""), found
        assert reason in found.reason, found


@needs_compiler
@needs_root
def test_driver_works_behind_all_of_the_lockdown_with_all_exceptions(driver):
    everything = tuple(name for names in EXCEPTIONS.values() for name in names)
    layers = tuple(name for name in LAYERS if name != "landlock" or landlock.abi())
    found = cuda_doctor.try_rung(layers, everything, "cuda", "0", DRIVER_STEPS)
    assert found.failed == "", found
    assert tuple(found.steps) == DRIVER_STEPS


def test_process_that_dies_on_a_rung_is_reported(monkeypatch):
    monkeypatch.setattr(
        cuda_doctor, "_BOOT", 'import os; print(\'{"step": "a", "ms": 1}\', flush=True); os.abort()'
    )
    found = cuda_doctor.try_rung((), (), "cuda", "0")
    assert (found.steps, found.failed) == ({"a": 1}, "what follows a")
    monkeypatch.setattr(cuda_doctor, "_BOOT", "import time; time.sleep(60)")
    monkeypatch.setattr(cuda_doctor, "_RUNG_SECONDS", 0.5)  # the process never answers
    found = cuda_doctor.try_rung((), (), "cuda", "0")
    assert (found.failed, found.reason) == ("what follows the start", "no answer in 0 s")


def test_steps_before_a_hang_are_reported(monkeypatch):
    def hangs(*arguments, timeout, **options):
        raise subprocess.TimeoutExpired(arguments, timeout, output=b'{"step": "a", "ms": 1}\n')

    monkeypatch.setattr(subprocess, "run", hangs)
    found = cuda_doctor.try_rung((), (), "cuda", "0")
    assert (found.steps, found.failed) == ({"a": 1}, "what follows a")
    assert found.reason == f"no answer in {cuda_doctor._RUNG_SECONDS:.0f} s"


def said(rungs, tiers):
    found = CudaDiagnosis("a device", {"driver": ""}, tuple(rungs), tiers)
    console = Console(width=100, record=True, file=io.StringIO())
    console.print(cuda_doctor.report(found))
    return list(found.advice()), console.export_text(), found.works


def a_rung(layers=(), allowed=(), failed="", reason=""):
    return Rung(tuple(layers), tuple(allowed), {"cuInit": 2.0}, failed, reason)


def test_every_layer_has_something_to_change():
    for layer in LAYERS:
        (line,) = said([a_rung(), a_rung([layer], failed="cuInit", reason="no")], {"A": "no"})[0]
        change = line.rpartition("; ")[2]
        for file in re.findall(r"[\w/]+\.(?:py|toml)", change):
            assert (REPOSITORY / file).is_file() or (REPOSITORY / "grader/sandbox" / file).is_file()


def test_report_names_the_first_step_that_fails_and_what_to_do():
    good = a_rung()
    bad = a_rung(["seccomp"], ["requests"], "cuInit", "refused: socket")
    advice, text, works = said([good, bad], {"A": "cuInit", "B": ""})
    (line,) = advice
    assert line.startswith("seccomp with all its exceptions: cuInit fails: refused: socket; add ")
    assert "CUDA_X86_64" in line
    assert works
    for part in ("Races can run here", "no lockdown", "seccomp + requests", "refused: socket"):
        assert part in text
    advice, text, works = said([bad], {"A": "cuInit", "B": "no such device"})
    assert advice == ["without any lockdown cuInit fails: refused: socket; first mend the machine"]
    missing = a_rung(failed="dlopen libcuda.so.1", reason="no such file")
    assert "LD_LIBRARY_PATH" in said([missing], {"A": "no"})[0][0]
    assert not works
    assert "No race can run here" in text
    together = a_rung(["seccomp", "user"], [], "context", "no")
    advice, text, _ = said([good, a_rung(["seccomp"]), together], {"A": "x"})
    assert advice == ["only all layers together: context fails: no"]
    assert "all layers, with all exceptions" in text
