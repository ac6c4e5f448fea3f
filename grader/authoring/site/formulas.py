"""Formulas whose numbers a reader can change. A chapter writes one as a table with this head:

    | name | value | unit | what |
    |---|---:|---|---|
    | `N` | 70e9 | | parameters |
    | `D` | 15e12 | | tokens |
    | `C` | 6.3e24 | FLOPs | `6 * N * D` |

A row with an expression is a result, any other is a given number. Paper and GitHub show the table
as it is; a page has boxes for the given numbers and computes the results again. An expression is
Python's, of numbers, earlier names, + - * /, and ceil, floor, max, min, sqrt. All numbers are
floats, so Python and JavaScript compute the same.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context
from typing import Any

from grader.authoring.site import pandoc
from grader.authoring.site.pandoc import Node, WriteupError

_HEAD = ["name", "value", "unit", "what"]
_OPERATORS: dict[type[ast.operator], tuple[Callable[[float, float], float], str]] = {
    ast.Add: (operator.add, "+"),
    ast.Sub: (operator.sub, "-"),
    ast.Mult: (operator.mul, "*"),
    ast.Div: (operator.truediv, "/"),
}
# JavaScript's Math has all of these names.
_FUNCTIONS: dict[str, Callable[..., float]] = {
    "ceil": math.ceil,
    "floor": math.floor,
    "max": max,
    "min": min,
    "sqrt": math.sqrt,
}
_FIVE_DIGITS = Context(prec=5, rounding=ROUND_HALF_UP)  # as JavaScript's toPrecision


@dataclass(frozen=True)
class Formula:
    """A table: the given numbers and the results' expressions by name, in the table's order."""

    id: str
    given: Mapping[str, float]
    results: Mapping[str, ast.expr]

    def compute(self, **given: float) -> dict[str, float]:
        """Every result, from the table's given numbers, or others in their place by name."""
        values = {name: float(given.get(name, value)) for name, value in self.given.items()}
        for name, expression in self.results.items():
            values[name] = _value(expression, values)
        return {name: values[name] for name in self.results}

    def script(self) -> str:
        """A JavaScript function that adds the results to an object of the given numbers."""
        lines = [f"v.{name} = {_script(tree)};" for name, tree in self.results.items()]
        return "\n  ".join(["(v) => {", *lines, "return v;"]) + "\n}"


def script(formulas: list[Formula]) -> str:
    """A script that sets FORMULAS, an object of functions by id."""
    entries = [f'"{formula.id}": {formula.script()},' for formula in formulas]
    return "\n".join(["const FORMULAS = {", *entries, "};\n"])


def mark(blocks: list[Any], chapter: str) -> tuple[list[Any], tuple[Formula, ...]]:
    """Blocks with each formula in a Div that has its id as `data-formula`, and the formulas.

    Raises:
        WriteupError: a formula has a mistake, or a result that is not the one computed.
    """
    found: list[Formula] = []

    def change(node: Node) -> Node:
        if node["t"] != "Table" or _cells(node["c"][3][1][0]) != _HEAD:
            return node
        found.append(_read(node, f"{chapter}-{len(found) + 1}", f"{chapter}.md"))
        return {"t": "Div", "c": [["", ["formula"], [["formula", found[-1].id]]], [node]]}

    return pandoc.rewrite(blocks, change), tuple(found)


def shown(number: float) -> str:
    """A number as text and pages show it: in full if it is whole and below 1e12, or five digits."""
    if number.is_integer() and abs(number) < 1e12:
        return f"{number:,.0f}"
    rounded = _FIVE_DIGITS.create_decimal_from_float(number).normalize()
    if 1e-3 <= abs(number) < 1e6:
        return f"{rounded:,f}"
    mantissa, exponent = f"{rounded:e}".split("e")
    return f"{mantissa}e{int(exponent)}"


def _read(table: Node, identifier: str, where: str) -> Formula:
    """The formula that a table writes; raises WriteupError, which names the file `where`."""
    given: dict[str, float] = {}
    results: dict[str, ast.expr] = {}
    stated: dict[str, str] = {}
    for row in table["c"][4][0][3]:
        name, value, _unit, what = _cells(row)
        try:
            if not (name.isidentifier() and name.isascii()) or name in given or name in results:
                raise ValueError("expected a name that no other row has")
            if any(pandoc.nodes(row[1][3], "Code")):
                results[name], stated[name] = ast.parse(what, mode="eval").body, value
            else:
                given[name] = float(value.replace(",", ""))
                if not 0 <= given[name] < math.inf:
                    raise ValueError(f"expected a number from 0 on, got {value}")
            computed = Formula(identifier, given, results).compute()
        except (ValueError, SyntaxError, ArithmeticError) as error:
            raise WriteupError(f"{where}: formula, row {name}: {error}") from error
        if name in results and shown(computed[name]) != value:
            raise WriteupError(f"{where}: formula: {name} is {shown(computed[name])}, not {value}")
    return Formula(identifier, given, results)


def _cells(row: Any) -> list[str]:
    return [pandoc.plain(cell[4]) for cell in row[1]]


def _value(tree: ast.expr, values: Mapping[str, float]) -> float:
    match tree:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return float(number)
        case ast.Name(id=name) if name in values:
            return values[name]
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            return _OPERATORS[type(op)][0](_value(left, values), _value(right, values))
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in _FUNCTIONS:
            return float(_FUNCTIONS[name](*[_value(arg, values) for arg in args]))
    raise ValueError(f"cannot compute {ast.unparse(tree)}")


def _script(tree: ast.expr) -> str:
    """An expression that `_value` can compute, in JavaScript; every operation in parentheses."""
    match tree:
        case ast.Constant(value=number):
            return repr(number)
        case ast.Name(id=name):
            return f"v.{name}"
        case ast.BinOp(left=left, op=op, right=right):
            return f"({_script(left)} {_OPERATORS[type(op)][1]} {_script(right)})"
        case ast.Call(func=ast.Name(id=name), args=args):
            return f"Math.{name}({', '.join(map(_script, args))})"
    raise ValueError(f"cannot write {ast.unparse(tree)}")
