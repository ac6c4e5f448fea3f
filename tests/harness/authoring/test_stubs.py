"""The stub of a reference module: what of it stays."""

import pytest

from grader.authoring import handout, stubs


def formatted(text):
    return handout.format_stubs({"m.py": text})["m.py"]


def stub(source, **messages):
    text = stubs.stub_module(source, messages or {"f": "ex: not started"})
    return formatted(text)


def test_stub_keeps_signature_docstring_imports_and_decorators():
    assert stub(
        '"""A module."""\n\nfrom __future__ import annotations\n\nimport math  # used below\n\n\n'
        "@decorated(1)\ndef f(\n    x: int,  # in bytes\n    *, y: str = 'a',\n) -> float:\n"
        '    """What it does.\n\n    More.\n    """\n    # secret\n    return math.pi\n'
    ) == (
        '"""A module."""\n\nfrom __future__ import annotations\n\nimport math  # used below\n\n\n'
        '@decorated(1)\ndef f(\n    x: int,  # in bytes\n    *,\n    y: str = "a",\n) -> float:\n'
        '    """What it does.\n\n    More.\n    """\n'
        '    raise NotImplementedError("ex: not started")\n'
    )


STUB = 'def f():\n    raise NotImplementedError("ex: not started")\n'
F = "\n\ndef f():\n    return 41\n"
ALIASES = '__all__ = ["f"]\nT = TypeVar("T")\nShape: TypeAlias = tuple[int, ...]\n'
LAYOUT = "Shape = tuple[int, ...]\n\n\nclass Layout(NamedTuple):\n    shape: Shape\n\n\n"
OTHERS = {
    "a one-line function loses its body": ("def f(): return 41\n", STUB),
    "private helpers, unnamed functions and constants are removed": (
        "SECRET = 41\n\n\ndef _helper():\n    return SECRET\n\n\n"
        f"def unnamed():\n    return 42\n\n\nclass Unnamed:\n    x = 43\n{F}",
        STUB,
    ),
    "marked helpers stay without their marker": (
        "import math\n\n# What it is for.\n# handout: keep\nTABLE = [1]\n\n\n"
        f"# handout: keep\n@cached\ndef _helper():\n    # why\n    return 41\n{F}",
        "import math\n\n# What it is for.\nTABLE = [1]\n\n\n"
        f"@cached\ndef _helper():\n    # why\n    return 41\n\n\n{STUB}",
    ),
    "type aliases and __all__ stay": (ALIASES + F, f"{ALIASES}\n\n{STUB}"),
    "plain data that a signature needs stays": (
        f"{LAYOUT}def f(x: Layout):\n    return 41\n",
        LAYOUT + STUB.replace("f()", "f(x: Layout)"),
    ),
}


@pytest.mark.parametrize(("source", "expected"), OTHERS.values(), ids=OTHERS)
def test_what_stays_beside_a_stub(source, expected):
    assert stub(source) == expected


def test_code_that_is_not_there_is_an_error():
    """That a signature needs, and is removed; that the manifest names"""
    with pytest.raises(stubs.StubError, match=r"f needs _wrap, .* '# handout: keep' directly"):
        stub("def _wrap(g):\n    return g\n\n\n@_wrap\ndef f():\n    return 41\n")
    with pytest.raises(stubs.StubError, match=r"module\.py does not define g"):
        stub("def f():\n    return 41\n", g="ex: not started")


def test_every_method_of_a_named_class_is_a_stub():
    text = stub(
        'class C(Base):\n    """A class."""\n\n    size: int = 3\n\n'
        "    def __init__(self):\n        self.x = 41\n\n"
        "    def _secret(self):\n        return 42\n\n"
        "    @property\n    def y(self) -> int:\n        return 43\n\n"
        "    # handout: keep\n    def __repr__(self):\n        return 'C'\n",
        C="ex: not started",
    )
    assert text == (
        'class C(Base):\n    """A class."""\n\n    size: int = 3\n\n'
        '    def __init__(self):\n        raise NotImplementedError("ex: not started")\n\n'
        "    @property\n    def y(self) -> int:\n"
        '        raise NotImplementedError("ex: not started")\n\n'
        '    def __repr__(self):\n        return "C"\n'
    )


def test_comments_of_removed_code_are_removed():
    text = stub("import math\n\n# Tells all.\nSECRET = 41\n\n\ndef f():\n    return SECRET\n")
    assert "Tells all" not in text


def test_imports_of_removed_names_from_siblings_are_removed():
    text = stubs.stub_module(
        "from .flops import _secret, matmul\nfrom ._hidden import x\n\n\ndef f():\n    return 1\n",
        {"f": "ex: not started"},
        siblings={"flops": {"matmul"}},
    )
    text = formatted(text)
    assert text.startswith("from .flops import matmul\n\n\ndef f():\n")


def test_a_message_names_exercise_text_and_hint():
    text = stub("def f():\n    return 1\n", f=stubs.message_of("adamw_step", "optimizers"))
    with pytest.raises(NotImplementedError) as error:
        exec(text + "f()")
    assert str(error.value) == (
        "adamw_step: not started; see assignment/writeup/optimizers.md, or make hint EX=adamw_step"
    )
