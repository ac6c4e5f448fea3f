"""torch without its compiler: nothing misses it, and whoever wants it gets it."""

import subprocess
import sys

import pytest

PROGRAM = """
from grader import warm

warm.load_torch()
import sys
import torch

X = torch.ones(2, 2, requires_grad=True)
{}
print(len([name for name in sys.modules if name.startswith("torch._dynamo")]))
"""


def compilers_modules(line):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(line)], capture_output=True, text=True, check=True
    )
    return int(done.stdout)


@pytest.mark.parametrize(
    "line",
    [
        "torch.optim.AdamW([torch.zeros(1, requires_grad=True)]).step()",
        "torch.optim.SGD([torch.zeros(1, requires_grad=True)]).zero_grad()",
        "import torch.utils.checkpoint as c; c.checkpoint(torch.sin, X, use_reentrant=True)",
        "import torch.utils.checkpoint as c; c.checkpoint(torch.sin, X, use_reentrant=False)"
        ".sum().backward()",
        "import torch.utils.flop_counter as f\nwith f.FlopCounterMode(display=False): X @ X",
    ],
)
def test_what_exercises_need_does_not_load_the_compiler(line):
    """A step asks it nothing: 800 modules less for every grading"""
    assert compilers_modules(line) == 2  # what stands for it, and its settings


@pytest.mark.parametrize(
    "line",
    [
        "assert torch.compile(lambda x: x * 2, backend='eager')(torch.ones(1)) == 2",
        "assert not torch._dynamo.is_compiling()",
        "import torch._dynamo.utils as utils; assert utils.counters is not None",
        "assert torch._dynamo.utils.counters is not None",
        "torch._dynamo.reset(); assert torch._dynamo.config is sys.modules['torch._dynamo.config']",
    ],
)
def test_whoever_asks_for_the_compiler_gets_it(line):
    """A solution may compile, however little that helps it here"""
    assert compilers_modules(line) > 10
