"""A small assignment whose mutants the tests try."""

import msgspec

from assignment import manifest as manifests

TWICE = "def f(a):\n    g(a + 1)\n    h(a + 1)\n    h(a + 1)\n"  # one line occurs twice
TOY = """
import os

def strong(a, b):
    if a < 0:
        raise ValueError("no")
    return a - b

def weak(a):
    return max(a, 0)

def endless(n):
    while n > 0:
        n -= 1
    return n

def deadly(a):
    if not a:
        os._exit(1)
    return a

def flaky(a):
    return a + 1

def listed(a):
    return -a

def untested(a):
    return a + 1

def raced(a):
    return a + 1
"""

# The body of each exercise's test; `SECOND` is the seed that the second nonce gives the test.
TESTS = {
    "strong": """
    for a, b in rng.integers(2, 9, (5, 2)).tolist() + [[0, 1], [1, 1]]:
        assert impl.toy.strong(a, b) == a - b
    with pytest.raises(ValueError):
        impl.toy.strong(-1, 1)
""",
    "weak": "    assert impl.toy.weak(3) == 3\n",
    "endless": "    assert impl.toy.endless(1) == 0\n",
    "deadly": "    assert impl.toy.deadly(3) == 3\n",
    "flaky": "    assert impl.toy.flaky(1) == 2 or seed != SECOND\n",
    "listed": "    assert abs(impl.toy.listed(2)) == 2\n",
    "raced": "    assert impl.toy.raced(2) == 3\n",
}
# The hidden tests of `listed` and `weak` let mutants pass that this one notices.
PUBLIC = """
import pytest

@pytest.mark.exercise("listed")
def test_sign(impl):
    assert impl.toy.listed(2) == -2

@pytest.mark.exercise("weak")
def test_floor(impl):
    assert impl.toy.weak(-3) < 1
"""
# More than one sample of a machine that stops is charged.
LITTLE = manifests.LimitOverrides(seconds=0.5)


def toy_manifest(**functions):
    """Exercises with a short time limit, by their functions; "raced" needs a device."""
    made = [
        manifests.Exercise(
            *(e, e, "toy", tuple(names), 1, "no"),
            limits=LITTLE,
            needs=("cuda",) if e == "raced" else (),
        )
        for e, names in functions.items()
    ]
    return msgspec.structs.replace(manifests.load(), package="toy_package", exercise=tuple(made))
