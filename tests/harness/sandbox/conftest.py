"""A submission that reports what it sees from inside a worker."""

import pytest

PROBE = """
import importlib
import os
import sys

from assignment.calls.world import World

World.call = lambda self, target, function, args, kwargs: function(*args, **kwargs)


def import_it(name):
    try:
        importlib.import_module(name)
    except ImportError as error:
        return f"{type(error).__name__}"
    return "imported"


def loaded():
    return sorted(sys.modules)


def about():
    return {
        "path": list(sys.path),
        "finders": [str(f) for f in sys.meta_path],
        "environ": dict(os.environ),
        "uid": os.getuid(),
        "groups": os.getgroups(),
        "pid": os.getpid(),
        "parent": os.getppid(),
        "processes": sorted(n for n in os.listdir("/proc") if n.isdigit()),
        "descriptors": {n: link(f"/proc/self/fd/{n}") for n in os.listdir("/proc/self/fd")},
        "interfaces": open("/proc/self/net/dev").read(),
    }


def link(path):
    try:
        return os.readlink(path)
    except OSError as error:
        return str(error)


def files(stop):
    found = []
    for here, folders, names in os.walk("/"):
        folders[:] = [f for f in folders if f"{here}/{f}".replace("//", "/") not in stop]
        found += [f"{here}/{n}".replace("//", "/") for n in names]
    return found


def hold(text):
    global held
    held = text[::-1]
    return len(held)


def random_numbers():
    import random
    import numpy
    import torch

    return [random.random(), float(numpy.random.rand()), float(torch.rand(1)), os.urandom(8).hex()]


def attempt(path, mode):
    try:
        with open(path, mode) as file:
            file.read(1) if "r" in mode and "+" not in mode else file.write("x")
    except OSError as error:
        return type(error).__name__
    return "allowed"
"""


@pytest.fixture
def inside(sandboxed):
    """A probing submission in a worker."""
    return sandboxed(probe=PROBE)
