"""Which mutants each operator makes."""

import textwrap

import pytest

from grader.authoring.mutation.mutants import mutants_of


def changes(text, operator, module="m"):
    """The changed lines of the mutants that one operator makes, in order."""
    return [m.mutated for m in mutants_of(module, text) if m.operator == operator]


def module_with_body(body):
    return f"def f(a, b, c, xs):\n{textwrap.indent(body, '    ')}\n"


# Operator, a statement, and all mutants that the operator makes of it.
CASES = [
    ("arithmetic", "t = a + b", "t = a - b"),
    ("arithmetic", "t = a - b", "t = a + b"),
    ("arithmetic", "t = a * b", "t = a / b; t = a + b"),
    ("arithmetic", "t = a / b", "t = a * b; t = a // b"),
    ("arithmetic", "t = a // b", "t = a / b; t = a * b"),
    ("arithmetic", "t = a % b", "t = a // b; t = a * b"),
    ("arithmetic", "t = a ** b", "t = a * b"),
    ("arithmetic", "t = a @ b", "t = a * b"),
    ("arithmetic", "t = a << b", "t = a >> b"),
    ("arithmetic", "t = a & b", "t = a | b"),
    ("arithmetic", "t = c - a**b", "t = c + a**b; t = c - (a*b)"),
    ("arithmetic", "t = (a + b) % c", "t = (a + b) // c; t = (a + b) * c; t = (a - b) % c"),
    ("arithmetic", "t = a - b - c", "t = a - b + c; t = a + b - c"),
    ("arithmetic", "t = -a % b", "t = -a // b; t = -a * b"),
    ("unary", "t = -a, ~b, not c", "t = a, ~b, not c; t = -a, b, not c; t = -a, ~b, c"),
    ("comparison", "t = a < b", "t = a <= b; t = a >= b"),
    ("comparison", "t = a >= b", "t = a > b; t = a < b"),
    ("comparison", "t = a == b", "t = a != b"),
    ("comparison", "t = a is not b", "t = a is b"),
    ("comparison", "t = a not in b", "t = a in b"),
    ("comparison", "t = a != (b)", "t = a == (b)"),
    (
        *("comparison", "t = a <= b < c"),
        "t = a < b < c; t = a > b < c; t = a <= b <= c; t = a <= b >= c",
    ),
    ("boolean", "t = a and b", "t = a or b; t = a; t = b"),
    (
        *("boolean", "t = a and (b or c)"),
        "t = a or (b or c); t = a; t = (b or c); t = a and (b and c); t = a and (b); t = a and (c)",
    ),
    (
        *("boolean", "t = a or b and c"),
        "t = a and (b and c); t = a; t = b and c; t = a or (b or c); t = a or b; t = a or c",
    ),
    ("negation", "if a:\n    b()", "if not a:"),
    ("negation", "if a or b:\n    b()", "if not (a or b):"),
    ("negation", "if a < b:\n    b()", ""),  # `comparison` makes this change
    ("negation", "if not a:\n    b()", ""),  # `unary` makes this change
    ("negation", "if 0 < a < b:\n    b()", "if not 0 < a < b:"),
    ("negation", "while f(a):\n    b()", "while not f(a):"),
    ("negation", "t = a if b else c", "t = a if not b else c"),
    ("negation", "t = [x for x in xs if x]", "t = [x for x in xs if not x]"),
    ("ternary", "t = a if b else c", "t = a; t = c"),
    ("filter", "t = [x for x in xs if x]", "t = [x for x in xs]"),
    (
        *("number", "t = 0, 1, 255"),
        "t = 1, 1, 255; t = -1, 1, 255; t = 0, 2, 255; t = 0, 0, 255; t = 0, 1, 256; t = 0, 1, 254",
    ),
    ("number", "t = 0.5, 0.0", "t = 1.0, 0.0; t = 0.25, 0.0; t = 0.5, 1.0"),
    ("string", "t = 'a', \"\"", "t = 'XXa', \"\"; t = 'a', \"XX\""),
    ("string", "t = f'a{b}c'", "t = f'XXa{b}c'; t = f'a{b}XXc'"),
    ("literal", "t = True, False", "t = False, False; t = True, True"),
    ("literal", "t = g(None)", "t = g(0)"),
    ("literal", "t = a is None", ""),
    ("literal", "t = zip(a, strict=True)", ""),  # like an assertion
    ("argument", "t = g(a, b, k=c)", "t = g(b, k=c); t = g(a, k=c); t = g(a, b)"),
    ("argument", "t = len(a)", ""),  # it would always fail
    ("argument", "t = min(a, b), min(a)", "t = min(b), min(a); t = min(a), min(a)"),
    ("argument", "t = sum(a, b)", "t = sum(b); t = sum(a)"),
    ("argument", "t = int(a)", "t = int()"),
    ("argument", "t = f(a, b, c, xs)", ""),
    ("argument", "t = zip(a, b, strict=True)", "t = zip(b, strict=True); t = zip(a, strict=True)"),
    ("swap", "t = g(a, b, c, k=1)", "t = g(b, a, c, k=1); t = g(a, c, b, k=1)"),
    ("swap", "t = g(a, *b), min(a, b)", ""),
    ("call", "t = min(a), any(b)", "t = max(a), any(b); t = min(a), all(b)"),
    ("call", "t = sum(a)", "t = max(a)"),
    ("call", "t = int(a)", "t = a"),
    ("call", "t = reversed(a)", "t = a"),
    ("call", "t = a.sqrt().add_(b)", "t = a.sqrt(); t = a.add_(b)"),
    ("call", "t = a.min()", "t = a.max(); t = a"),
    ("call", "a.add_(b)", ""),  # `statement` makes this change
    ("slice", "t = a[b:c]", "t = a[:c]; t = a[b:]"),
    ("slice", "t = a[::2]", "t = a[::]"),
    ("element", "t = [a, b, c]", "t = [b, c]; t = [a, c]; t = [a, b]"),
    ("element", "t = {'a': b, 'c': 1}", "t = {'c': 1}; t = {'a': b}"),
    ("element", "t = {a, b}", "t = {b}; t = {a}"),
    ("element", "t = a, b", ""),
    ("element", "for x in (a, b):\n    c()", "for x in (b,):; for x in (a,):"),
    ("element", "t = c in (a, b)", "t = c in (b,); t = c in (a,)"),
    ("lambda", "t = lambda: a", "t = lambda: None"),
    ("augmented", "a += b", "a -= b; a = b"),
    ("augmented", "a *= b", "a /= b; a += b; a = b"),
    ("return", "return b", "return None"),
    ("return", "return None", ""),
    ("return", "yield b", "yield None"),
    ("statement", "g(a)", "pass"),
    ("statement", "t = 1", ""),  # a new name: nothing would run without it
    ("statement", "a = 1", "pass"),
    ("statement", "t, u = 1, 2\nt, u = u, t", "pass"),
    ("statement", "a.x = a[b] = c", "pass"),
    ("statement", "a += 1", "pass"),
    ("statement", "del a[b]", "pass"),
    ("statement", "if a:\n    return b", "pass"),
    ("statement", "if a:\n    raise ValueError(f'no {b}')", "pass"),
    ("loop", "for x in xs:\n    if x:\n        break", "continue"),
    ("loop", "for x in xs:\n    if x:\n        continue\n    g()", "break"),
    ("raise", "raise ValueError(f'not {a + 1}')", "raise RuntimeError(f'not {a + 1}')"),
    ("raise", "raise RuntimeError", "raise ValueError"),
    ("handler", "try:\n    g()\nexcept KeyError as e:\n    h(e)", "except () as e:"),
    ("context", "with g(a):\n    h()", "if True:"),
    ("context", "with g(a), h(b) as c:\n    c()", "with h(b) as c:"),
    ("context", "with g(a) as c:\n    c()", ""),
]


@pytest.mark.parametrize(("operator", "body", "expected"), CASES)
def test_operator_makes_exactly_these_changes(operator, body, expected):
    assert "; ".join(changes(module_with_body(body), operator)) == expected


def test_decorator_is_removed():
    assert changes("@a\n@b(1)\ndef f():\n    g()\n", "decorator") == ["", ""]


def test_defaults_and_constants_are_mutated():
    text = "WIDTH = 8\n\ndef f(a=1, *, b: int | None = None):\n    return a * WIDTH\n"
    made = mutants_of("m", text)
    assert [m.mutated for m in made if m.function == "WIDTH"] == ["WIDTH = 9", "WIDTH = 7"]
    assert {m.mutated for m in made if m.line == 3} == {
        f"def f(a={a}, *, b: int | None = {b}):" for a, b in [(2, None), (0, None), (1, 0)]
    }


LEFT_ALONE = '''
"""A module with 1 docstring."""

from __future__ import annotations

import os
from math import prod as product
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from x import Y

__all__ = ["f"]
Shape = tuple[int, ...]
Nested = dict[str, Shape] | None


class C:
    """Its docstring."""

    def __init__(self, a: "int | str") -> None:
        """Its docstring."""
        b: Nested
        assert a > 1, "holds anyway"
        if a:
            raise ValueError(f"expected {a + 1} or " + str(a - 2))


def f(shape: Shape) -> tuple[int, int]:
    """Its docstring, and 2 numbers."""
    return cast("tuple[int, int]", shape)
'''


def test_some_code_is_never_mutated():
    """Docstrings, annotations, aliases, imports, messages, assertions"""
    made = mutants_of("m", LEFT_ALONE)
    assert [(m.operator, m.mutated.strip()) for m in made] == [
        ("negation", "if not a:"),
        ("statement", "pass"),
        ("raise", 'raise RuntimeError(f"expected {a + 1} or " + str(a - 2))'),
        ("return", "return None"),
    ]


def test_code_that_no_test_can_run_is_not_mutated():
    """Where its first line says so, with the reason"""
    text = "class A:{}\n    def f(a):\n        return a + 1\n\n\ndef g(a):{}\n    return a + 1\n"
    never = "  # pragma: no cover: needs a device"
    for one, other, found in (
        ("", "", {"A.f", "g"}),
        (never, "", {"g"}),
        ("", never, {"A.f"}),
        ("  # pragma: no cover", "  # needs a device", {"A.f", "g"}),  # without a reason
    ):
        made = mutants_of("m", text.format(one, other))
        assert {m.function for m in made} == found
