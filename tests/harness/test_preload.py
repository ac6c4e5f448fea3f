"""Preloading imports neither the compiler, nor sympy, nor functions that run at each fork."""

import json
import os
import subprocess
import sys

import pytest

from tests.harness.conftest import long_unless

# Runs each line in its own fork of a process that has loaded torch.
PROGRAM = """
from grader import preload

preload.load_torch()
import json, os, sys
import torch

X = torch.ones(2, 2, requires_grad=True)
for line in json.load(sys.stdin):
    if not (pid := os.fork()):
        exec(line)
        loaded = [name for name in sys.modules if name.startswith(("torch._dynamo", "sympy"))]
        print(len(loaded), flush=True)
        os._exit(0)
    if os.waitpid(pid, 0)[1]:
        print("failed", flush=True)
"""
FORK = """
import os, sys
register = os.register_at_fork
from grader.worker import speed, zygote

before = {"concurrent.futures.thread", "logging", "random", "threading"} & set(sys.modules)
assert not before, f"loaded with their hooks: {before}"
speed.import_without_fork_hooks()
assert os.register_at_fork is register
import random, threading

state = random.getstate()
if not (pid := os.fork()):
    assert threading.current_thread() is threading.main_thread()
    thread = threading.Thread(target=lambda: None)
    thread.start()
    thread.join()
    os._exit(random.getstate() != state)
assert os.waitpid(pid, 0)[1] == 0
"""
WITHOUT_COMPILER = (
    "torch.optim.AdamW([torch.zeros(1, requires_grad=True)]).step()",
    "torch.optim.SGD([torch.zeros(1, requires_grad=True)]).zero_grad()",
    "import torch.utils.checkpoint as c; c.checkpoint(torch.sin, X, use_reentrant=True)",
    "import torch.utils.checkpoint as c; c.checkpoint(torch.sin, X, use_reentrant=False)"
    ".sum().backward()",
    "import torch.utils.flop_counter as f\nwith f.FlopCounterMode(display=False): X @ X",
    "torch.use_deterministic_algorithms(True); X @ X",
    "(X * 2).backward(torch.ones(2, 2)); assert X.grad.sum() == 8",
    "try: (X * 2).backward(torch.ones(2, 1))\nexcept RuntimeError as e: assert 'shape' in str(e)\n"
    "else: raise AssertionError",
    "torch.autograd.grad([X * 2, X.sum()], X, [torch.ones(2, 2), torch.ones(())])",
)
# Each loads it, in seconds. The second and third take the ways that differ most.
WITH_COMPILER = (
    "torch.use_deterministic_algorithms(True)\n"
    "assert torch.compile(lambda x: x * 2, backend='eager')(torch.ones(1)) == 2",
    "from torch._inductor import config; assert config.fallback_random is False",
    "assert torch.compile(lambda x: x * 2, backend='eager')(torch.ones(1)) == 2",
    "assert torch.fx.experimental.symbolic_shapes.ShapeEnv().create_unbacked_symint() is not None",
    "from torch.fx.experimental.symbolic_shapes import guard_or_true; assert guard_or_true(True)",
    "from torch.fx.experimental import symbolic_shapes as s\n"
    "n = s.ShapeEnv().create_unbacked_symint(); assert type(s.sym_eq((n, 2), (n, 2))) is not None",
    "from torch.fx.experimental.symbolic_shapes import sym_eq; assert sym_eq(2, 2)",
    "assert len(torch.ones_like(torch.empty(3, device='meta'))) == 3",
    "assert not torch._dynamo.is_compiling()",
    "import torch._dynamo.utils as utils; assert utils.counters is not None",
    "assert torch._dynamo.utils.counters is not None",
    "import torch._inductor.utils as utils; assert utils.ceildiv(3, 2) == 2",
    "torch._dynamo.reset(); assert torch._dynamo.config is sys.modules['torch._dynamo.config']",
)


@pytest.fixture(scope="module")
def modules(request: pytest.FixtureRequest) -> dict[str, str]:
    """By line: how many of the compiler's modules are loaded after it, or "failed"."""
    chosen = [getattr(item, "callspec", None) for item in request.session.items]
    wanted = {callspec.params.get("line") for callspec in chosen if callspec is not None}
    lines = [line for line in (*WITHOUT_COMPILER, *WITH_COMPILER) if line in wanted]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        input=json.dumps(lines),
        capture_output=True,
        text=True,
        check=True,
    )
    return dict(zip(lines, done.stdout.split(), strict=True))


@pytest.mark.parametrize("line", WITHOUT_COMPILER)
def test_code_of_exercises_does_not_load_the_compiler(modules, line):
    """Saves 800 modules of the compiler and 500 of sympy in every grading"""
    assert modules[line] == "2"  # `LazyCompiler`, and the compiler's settings


@pytest.mark.parametrize("line", long_unless(WITH_COMPILER, *WITH_COMPILER[1:3]))
def test_code_that_uses_the_compiler_loads_it(modules, line):
    """A solution may compile, however little that helps it here"""
    assert int(modules[line]) > 10


def test_fork_of_a_zygote_runs_no_hooks():
    """Python's own hooks would reseed `random` and copy 180 pages of memory"""
    # Without `site`, whose .pth files may load `random`.
    paths = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-S", "-c", FORK]
    done = subprocess.run(command, env=paths, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
