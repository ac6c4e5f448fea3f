"""Makes the zygote ready to be forked: what every worker needs is loaded, and forks can compute."""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import sys
from pathlib import Path

from grader.worker import speed

ADDED = "GRADER_PROGRAMS"  # environment variable: a module with one more program, for tests


def preload(with_devices: bool) -> None:
    """Loads and runs what workers need, for all forks; then hides environment and repository.

    A library that is first used behind Landlock could not read /proc/cpuinfo, and would take other
    code paths with other last bits. Workers of a zygote `with_devices` use CUDA, which a process
    must not touch before it forks: that zygote runs no training step.
    """
    sys.dont_write_bytecode = True
    from grader import preload

    preload.load_torch(with_devices)
    import grader.worker.serve
    import grader.worker.unlinked  # noqa: F401 - for the forks
    from assignment import programs, scenarios
    from assignment.calls import devices
    from grader.worker import first_calls

    scenarios.load_all()
    programs.load_all()
    if added := os.environ.get(ADDED):
        importlib.import_module(added)
    first_calls.make_first_calls()
    if not with_devices:
        first_calls.make_first_training_steps()
    # Keeps only Python's own import hooks, of `_frozen_importlib…`. An editable install, for
    # example, adds another, which could find modules that are not on the path.
    sys.meta_path[:] = [
        f for f in sys.meta_path if getattr(f, "__module__", "").startswith("_froz")
    ]
    # What is loaded from this repository stays loaded; nothing more of it can be found.
    from grader.paths import REPOSITORY

    sys.path[:] = [path for path in sys.path if path != str(REPOSITORY)]
    visible = devices.visible()
    os.environ.clear()  # here, once: it would cost each worker half a millisecond
    os.environ.update(LANG="C.UTF-8", **visible)
    gc.collect()
    gc.freeze()  # collections in a worker skip what is loaded here
    speed.use_huge_pages()


def why_forks_would_fail() -> str:
    """Why forks of this process could not compute, or ""; read from the kernel, not from torch.

    A fork copies only one thread: a library copied without its threads waits for them, or refuses.
    A process that holds a CUDA device open has started the driver.
    """
    threads = list(Path("/proc/self/task").iterdir())
    if len(threads) != 1:
        names = []
        for thread in threads:
            with contextlib.suppress(OSError):  # it has ended
                names.append((thread / "comm").read_text().strip())
        return (
            f"the zygote has {len(threads)} threads after preloading: {', '.join(sorted(names))}; "
            "expected 1, or no fork works"
        )
    for descriptor in list(Path("/proc/self/fd").iterdir()):
        with contextlib.suppress(OSError):  # the descriptor of the listing itself is gone
            target = str(descriptor.readlink())
            if target.startswith("/dev/nvidia"):
                return f"the zygote holds {target} open; preloading must not touch CUDA"
    return ""
