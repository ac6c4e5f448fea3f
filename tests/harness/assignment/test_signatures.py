"""A changed signature is told from one that still takes every call of the handout's form."""

import sys
from types import ModuleType

import pytest

from assignment.student import signatures

STUB = "def step(params: list, grads: list, *, lr: float, eps: float = 1e-8) -> None:\n    ...\n"


@pytest.fixture
def changed(tmp_path, monkeypatch):
    """What is said of a student's function."""
    (tmp_path / "module.py").write_text(STUB, encoding="utf-8")
    monkeypatch.setattr(signatures, "STUBS", tmp_path)
    signatures._stub.cache_clear()

    def of(code):
        module = ModuleType("package.module")
        exec(code, module.__dict__)
        monkeypatch.setitem(sys.modules, "package.module", module)
        return signatures.changed_signature("package", "module.step")

    yield of
    signatures._stub.cache_clear()


@pytest.mark.parametrize(
    "code",
    [
        "def step(params, grads, *, lr, eps=1e-8): ...",
        "def step(params, grads, lr, eps=1e-8): ...",
        "def step(params, grads, *, lr, eps=1, depth=0): ...",
        "def step(params, grads, **settings): ...",
        "def step(*args, **kwargs): ...",
        "step = len",
    ],
)
def test_what_still_takes_every_call(changed, code):
    assert changed(code) is None


@pytest.mark.parametrize(
    ("code", "yours"),
    [
        ("def step(ps, grads, *, lr, eps=1e-8): ...", "step(ps, grads, *, lr, eps=1e-08)"),
        ("def step(grads, params, *, lr, eps=1e-8): ...", "step(grads, params, *, lr, eps=1e-08)"),
        ("def step(params, grads, *, lr): ...", "step(params, grads, *, lr)"),
        ("def step(params, grads, *, lr, eps): ...", "step(params, grads, *, lr, eps)"),
        ("def step(params, grads, m, *, lr, eps=1): ...", "step(params, grads, m, *, lr, eps=1)"),
        ("", ""),
    ],
)
def test_what_does_not(changed, code, yours):
    assert changed(code) == (yours, "step(params, grads, *, lr, eps=1e-08)")


def test_what_a_function_returns_is_the_annotation_of_its_stub(changed):
    assert signatures.returns("module.step") == "None"
    assert signatures.returns("module.other") == ""
