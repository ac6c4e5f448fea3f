"""A worker of a race may do what the CUDA driver was seen to ask for, in each tier.

No test here needs a device, and none shows that a real driver asks for nothing else.
"""

import importlib.util
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.sandbox import kernel
from tests.harness import container
from tests.harness.conftest import long_unless, needs_root, repository_for
from tests.harness.sandbox import driver_demands

NEVER = {"connection", "network"}
# Where there is no Landlock, file modes alone decide: a worker may read what everybody may.
WITHOUT_A_DEVICE = {"library", "listening_socket", "memory_file", "descriptors", *NEVER}


@pytest.fixture
def libraries(monkeypatch) -> Iterator[Path]:
    """A folder that only LD_LIBRARY_PATH names, with a library that is a mount of its own.

    So containers get the driver's libraries: each as a file that is mounted from the host.
    """
    with tempfile.TemporaryDirectory(dir="/usr/local") as folder:
        Path(folder).chmod(0o755)
        some = importlib.util.find_spec("_ctypes")
        assert some is not None
        assert some.origin is not None
        library = Path(folder, driver_demands.LIBRARY)
        library.touch()
        kernel.mount(some.origin, str(library), None, kernel.MS_BIND)
        # NVIDIA's images name a link beside its target, in a folder that is shown as a whole.
        Path(folder, "lib").mkdir()
        Path(folder, "lib64").symlink_to("lib")
        monkeypatch.setenv("LD_LIBRARY_PATH", f"{folder}:{folder}/lib64")
        yield Path(folder)
        kernel.umount(str(library))


@needs_root
@pytest.mark.parametrize(
    ("profile", "tier"), long_unless(container.PROFILES.items(), ("whole", "A"))
)
def test_driver_is_refused_nothing_that_it_was_seen_to_ask_for(profile, tier, request, libraries):
    if tier == "A":  # it needs all that this machine allows, which is no container
        with_device, without = driver_demands.refusals(tier)
    else:
        repository = repository_for(profile, request.getfixturevalue("closed"))
        done = container.run(profile, repository, driver_demands.__name__, tier)
        assert done.returncode == 0, done.stdout + done.stderr
        with_device, without = json.loads(done.stdout)
    assert with_device.pop("environment") == "GPU-1"
    if tier == "A":  # elsewhere there are no mounts for workers
        assert with_device["writable"] == []
    del with_device["writable"]
    assert {name for name, reason in with_device.items() if reason} == NEVER, with_device
    assert without.pop("environment") == ""
    assert {name for name, reason in without.items() if reason} >= WITHOUT_A_DEVICE, without
