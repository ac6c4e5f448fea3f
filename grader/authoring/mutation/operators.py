"""The mutation operators: for one node of a module, each small change that a test should notice.

An operator takes a node and its source, and yields edits: a span of the text and what stands there
instead. What it yields need not be valid: the caller drops what does not compile. Which nodes are
left alone altogether (docstrings, annotations, messages) is the caller's matter, too.
"""

from __future__ import annotations

import builtins
import inspect
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import libcst as cst

from grader.authoring.mutation.source import Source, dotted


@dataclass(frozen=True)
class Edit:
    """What stands between `start` and `end` is replaced by `text`."""

    operator: str
    start: int
    end: int
    text: str


Edits = Iterator[Edit]

_ARITHMETIC = {
    "+": ("-",),
    "-": ("+",),
    "*": ("/", "+"),
    "/": ("*", "//"),
    "//": ("/", "*"),
    "%": ("//", "*"),
    "**": ("*",),
    "@": ("*",),
    "<<": (">>",),
    ">>": ("<<",),
    "&": ("|",),
    "|": ("&",),
    "^": ("&",),
}
_BIND_ALIKE = ({"+", "-"}, {"*", "/", "//", "%", "@"}, {"<<", ">>"})
# The boundary moved by one, and the opposite.
_COMPARISON = {
    "<": ("<=", ">="),
    "<=": ("<", ">"),
    ">": (">=", "<="),
    ">=": (">", "<"),
    "==": ("!=",),
    "!=": ("==",),
    "is": ("is not",),
    "is not": ("is",),
    "in": ("not in",),
    "not in": ("in",),
}
# By the last part of the name that is called.
_CALLED = {
    "min": "max",
    "max": "min",
    "any": "all",
    "all": "any",
    "sum": "max",
    "prod": "sum",
    "floor": "ceil",
    "ceil": "floor",
    "argmin": "argmax",
    "argmax": "argmin",
    "amin": "amax",
    "amax": "amin",
    "minimum": "maximum",
    "maximum": "minimum",
    "zeros": "ones",
    "ones": "zeros",
    "zeros_like": "ones_like",
    "ones_like": "zeros_like",
    "log": "exp",
    "log2": "log",
    "removeprefix": "removesuffix",
    "removesuffix": "removeprefix",
    "startswith": "endswith",
    "endswith": "startswith",
}
_WRAPPERS = ("abs", "float", "int", "math.sqrt", "reversed", "round", "sorted")
_SYMMETRIC = ("max", "min", "torch.maximum", "torch.minimum")
_NEED_ONE = ("max", "min", "range", "slice")  # whose parameters Python does not tell

# What another operator beside it could tear apart.
_LOOSE = (cst.BooleanOperation, cst.IfExp, cst.Lambda, cst.NamedExpr)
_LOOSE_IN_ARITHMETIC = (*_LOOSE, cst.BinaryOperation, cst.UnaryOperation, cst.Comparison)


def _replaced(operator: str, source: Source, node: cst.CSTNode, text: str) -> Edit:
    return Edit(operator, *source.span(node), text)


def _grouped(
    node: cst.BaseExpression, source: Source, loose: tuple[type[cst.CSTNode], ...] = _LOOSE
) -> str:
    text = source.text(node)
    return f"({text})" if isinstance(node, loose) and not node.lpar else text


def _guarded(text: str, node: cst.BaseExpression, source: Source) -> str:
    """In parentheses, where a neighbour could bind closer than the new operator."""
    inside = isinstance(source.parent(node), cst.BaseExpression) and not node.lpar
    return f"({text})" if inside else text


def _gap(source: Source, left: cst.CSTNode, right: cst.CSTNode) -> tuple[int, int, str]:
    """Where an operator stands between its operands, and which it is."""
    start, end = source.outer(left)[1], source.outer(right)[0]
    return start, end, " ".join(source.between(start, end).split())


# --- expressions ---------------------------------------------------------------------------------


def arithmetic(node: cst.CSTNode, source: Source) -> Edits:
    """`a + b` → `a - b`, `a * b` → `a / b`, `(a + b)`, …"""
    if not isinstance(node, cst.BinaryOperation):
        return
    start, end, sign = _gap(source, node.left, node.right)
    for other in _ARITHMETIC.get(sign, ()):
        gap = source.between(start, end).replace(sign, other)
        if any(sign in group and other in group for group in _BIND_ALIKE):
            yield Edit("arithmetic", start, end, gap)
            continue
        left, right = (
            _grouped(operand, source, _LOOSE_IN_ARITHMETIC) for operand in (node.left, node.right)
        )
        text = _guarded(left + gap + right, node, source)
        yield _replaced("arithmetic", source, node, text)


def unary(node: cst.CSTNode, source: Source) -> Edits:
    """`not a`, `-a` and `~a` → `a`"""
    if isinstance(node, cst.UnaryOperation):
        yield _replaced("unary", source, node, source.text(node.expression))


def comparison(node: cst.CSTNode, source: Source) -> Edits:
    """`a < b` → `a <= b`, `a >= b`; of a chain, each link"""
    if not isinstance(node, cst.Comparison):
        return
    left = node.left
    for link in node.comparisons:
        start, end, sign = _gap(source, left, link.comparator)
        for other in _COMPARISON.get(sign, ()):
            yield Edit("comparison", start, end, f" {other} ")
        left = link.comparator


def boolean(node: cst.CSTNode, source: Source) -> Edits:
    """`a and b` → `a or b`, `a`, `b`"""
    if not isinstance(node, cst.BooleanOperation):
        return
    start, end, sign = _gap(source, node.left, node.right)
    gap = source.between(start, end).replace(sign, {"and": "or", "or": "and"}.get(sign, sign))
    text = _grouped(node.left, source) + gap + _grouped(node.right, source)
    yield _replaced("boolean", source, node, _guarded(text, node, source))
    yield _replaced("boolean", source, node, source.text(node.left))
    yield _replaced("boolean", source, node, source.text(node.right))


def negation(node: cst.CSTNode, source: Source) -> Edits:
    """A condition → its opposite, where no other operator says that already"""
    if not isinstance(node, cst.If | cst.While | cst.IfExp | cst.CompIf):
        return
    match test := node.test:
        case cst.UnaryOperation(operator=cst.Not()) | cst.Comparison(comparisons=[_]):
            return
    yield Edit("negation", *source.outer(test), f"not {_grouped(test, source)}")


def ternary(node: cst.CSTNode, source: Source) -> Edits:
    """`a if c else b` → `a`, `b`"""
    if isinstance(node, cst.IfExp):
        yield _replaced("ternary", source, node, source.text(node.body))
        yield _replaced("ternary", source, node, source.text(node.orelse))


def unfiltered(node: cst.CSTNode, source: Source) -> Edits:
    """`[x for x in xs if c]` → `[x for x in xs]`"""
    if isinstance(node, cst.CompIf):
        yield Edit("filter", *source.outer(node), "")


def number(node: cst.CSTNode, source: Source) -> Edits:
    """An integer → one more, one less; a float → twice, half; 0.0 → 1.0"""
    if isinstance(node, cst.Integer):
        value = node.evaluated_value
        yield _replaced("number", source, node, str(value + 1))
        yield _replaced("number", source, node, str(value - 1))
    if isinstance(node, cst.Float):
        amount = node.evaluated_value
        for changed in (amount * 2, amount / 2) if amount else (1.0,):
            if math.isfinite(changed):
                yield _replaced("number", source, node, repr(changed))


def string(node: cst.CSTNode, source: Source) -> Edits:
    """`"text"` → `"XXtext"`; of an f-string, each piece of text"""
    if isinstance(node, cst.SimpleString):
        opening = node.prefix + node.quote
        yield _replaced("string", source, node, f"{opening}XX{node.value[len(opening) :]}")
    if isinstance(node, cst.FormattedStringText):
        yield _replaced("string", source, node, f"XX{node.value}")


def literal(node: cst.CSTNode, source: Source) -> Edits:
    """True ↔ False; None → 0, where it is not compared with"""
    if not isinstance(node, cst.Name):
        return
    if node.value in ("True", "False"):
        yield _replaced("literal", source, node, str(node.value == "False"))
    compared = isinstance(source.parent(node), cst.ComparisonTarget)
    if node.value == "None" and not compared:
        yield _replaced("literal", source, node, "0")


def argument(node: cst.CSTNode, source: Source) -> Edits:
    """`f(a, b, c=d)` → without each that it can do without; positional neighbours swapped"""
    if not isinstance(node, cst.Call):
        return
    for i, left in enumerate(node.args):
        if not is_strict(left, node) and _can_do_without(node, i, source):
            yield Edit("argument", *_without(node.args, i, source), "")
    if dotted(node.func) in _SYMMETRIC:
        return
    for one, other in zip(node.args, node.args[1:], strict=False):
        if one.keyword or other.keyword or one.star or other.star:
            continue
        (start, inner), (outer, end) = source.outer(one.value), source.outer(other.value)
        text = source.text(other.value) + source.between(inner, outer) + source.text(one.value)
        yield Edit("swap", start, end, text)


def is_strict(argument: cst.CSTNode, call: cst.CSTNode) -> bool:
    """Whether this is the `strict` of a `zip`: like an assertion, it states what holds anyway."""
    match call, argument:
        case cst.Call(func=cst.Name(value="zip")), cst.Arg(keyword=cst.Name(value="strict")):
            return True
    return False


def _can_do_without(node: cst.Call, i: int, source: Source) -> bool:
    """Whether the call may run without one of its arguments.

    It may unless the function's parameters are known and say no: a call that can only fail would
    test nothing but that the line is reached.
    """
    name = dotted(node.func)
    left = [argument for k, argument in enumerate(node.args) if k != i]
    if any(argument.star for argument in node.args):
        return True
    signature = source.signatures.get(name) or _signature_of_builtin(name)
    if signature is None:
        return bool(left) or name not in _NEED_ONE
    positional = [None for argument in left if argument.keyword is None]
    named = {argument.keyword.value: None for argument in left if argument.keyword is not None}
    try:
        signature.bind(*positional, **named)
    except TypeError:
        return False
    return True


def _signature_of_builtin(name: str) -> inspect.Signature | None:
    module, _, attribute = name.rpartition(".")
    found = getattr({"": builtins, "math": math}.get(module), attribute, None)
    try:
        return inspect.signature(found) if found is not None else None
    except (TypeError, ValueError):
        return None


def _without(nodes: Sequence[cst.CSTNode], i: int, source: Source) -> tuple[int, int]:
    """The span that goes with one of several nodes that have commas between them."""
    start, end = source.span(nodes[i])
    if i + 1 < len(nodes):
        return start, source.span(nodes[i + 1])[0]
    return (source.span(nodes[i - 1])[1], end) if i else (start, end)


def call(node: cst.CSTNode, source: Source) -> Edits:
    """`min(a)` → `max(a)`, `int(a)` → `a`, `a.sqrt()` → `a`"""
    if not isinstance(node, cst.Call):
        return
    name = dotted(node.func)
    other = _CALLED.get(name.rpartition(".")[2])
    if isinstance(node.func, cst.Attribute):
        other = _CALLED.get(node.func.attr.value)
        if other is not None:
            # `math` has no `sum`: the built-in one takes its place.
            whole = name.startswith("math.") and not hasattr(math, other)
            yield _replaced("call", source, node.func if whole else node.func.attr, other)
        if _is_value(node.func.value, source) and not isinstance(source.parent(node), cst.Expr):
            yield _replaced("call", source, node, source.text(node.func.value))
    elif other is not None:
        yield _replaced("call", source, node.func, other)
    if name in _WRAPPERS and node.args and not node.args[0].star:
        yield _replaced("call", source, node, source.text(node.args[0].value))


def _is_value(node: cst.BaseExpression, source: Source) -> bool:
    """Whether a method's receiver is a value: no module, `self` or `super()`."""
    if isinstance(node, cst.Call):
        return dotted(node.func) != "super"
    name = dotted(node)
    return name not in ("self", "cls") and name.partition(".")[0] not in source.imported


def bounds(node: cst.CSTNode, source: Source) -> Edits:
    """`x[a:b:c]` → without each of them"""
    if isinstance(node, cst.Slice):
        for bound in (node.lower, node.upper, node.step):
            if bound is not None:
                yield Edit("slice", *source.outer(bound), "")


def element(node: cst.CSTNode, source: Source) -> Edits:
    """`[a, b]` → without each; of a tuple only where it is looped over, or looked through"""
    if not isinstance(node, cst.List | cst.Set | cst.Dict | cst.Tuple):
        return
    holder = source.parent(node)
    looped = isinstance(holder, cst.For | cst.CompFor) and holder.iter is node
    if isinstance(node, cst.Tuple) and not (looped or isinstance(holder, cst.ComparisonTarget)):
        return
    for i in range(len(node.elements)):
        if isinstance(node, cst.Tuple) and len(node.elements) == 2:
            yield _replaced("element", source, node, f"{source.text(node.elements[1 - i])},")
        elif len(node.elements) > 1 or isinstance(node, cst.List | cst.Dict):
            yield Edit("element", *_without(node.elements, i, source), "")


def function(node: cst.CSTNode, source: Source) -> Edits:
    """`lambda x: y` → `lambda x: None`"""
    if isinstance(node, cst.Lambda) and source.text(node.body) != "None":
        yield Edit("lambda", *source.outer(node.body), "None")


# --- statements ----------------------------------------------------------------------------------


def augmented(node: cst.CSTNode, source: Source) -> Edits:
    """`a += b` → `a -= b`, `a = b`"""
    if not isinstance(node, cst.AugAssign):
        return
    start, end, sign = _gap(source, node.target, node.value)
    for other in (*_ARITHMETIC.get(sign.removesuffix("="), ()), ""):
        yield Edit("augmented", start, end, f" {other}= ")


def returned(node: cst.CSTNode, source: Source) -> Edits:
    """`return a` → `return None`; `yield a` → `yield None`"""
    if isinstance(node, cst.Return) and node.value is not None:
        if source.text(node.value) != "None":
            yield _replaced("return", source, node, "return None")
    elif isinstance(node, cst.Yield) and isinstance(node.value, cst.BaseExpression):
        yield _replaced("return", source, node, "yield None")


def statement(node: cst.CSTNode, source: Source) -> Edits:
    """A statement → `pass`

    A `return` at a function's end is left to `returned`, and what binds a new name is needed in any
    case: the caller drops it.
    """
    removable = cst.Expr | cst.Assign | cst.AnnAssign | cst.AugAssign | cst.Raise | cst.Return
    if not isinstance(node, removable | cst.Break | cst.Continue | cst.Del):
        return
    if isinstance(node, cst.Return) and _ends_function(node, source):
        return
    if isinstance(node, cst.AnnAssign) and node.value is None:
        return
    yield _replaced("statement", source, node, "pass")


def _ends_function(node: cst.CSTNode, source: Source) -> bool:
    line = source.parent(node)
    block = source.parent(line) if line else None
    if not isinstance(block, cst.IndentedBlock) or block.body[-1] is not line:
        return False
    return isinstance(source.parent(block), cst.FunctionDef)


def loop(node: cst.CSTNode, source: Source) -> Edits:
    """`break` ↔ `continue`"""
    if isinstance(node, cst.Break | cst.Continue):
        other = "continue" if isinstance(node, cst.Break) else "break"
        yield _replaced("loop", source, node, other)


def raised(node: cst.CSTNode, source: Source) -> Edits:
    """`raise ValueError(…)` → another class"""
    if not isinstance(node, cst.Raise) or node.exc is None:
        return
    named = node.exc.func if isinstance(node.exc, cst.Call) else node.exc
    kind = getattr(builtins, dotted(named), None)
    if isinstance(kind, type) and issubclass(kind, Exception):
        other = "ValueError" if kind is RuntimeError else "RuntimeError"
        yield _replaced("raise", source, named, other)


def handler(node: cst.CSTNode, source: Source) -> Edits:
    """`except E:` → `except ():`, which catches nothing"""
    if isinstance(node, cst.ExceptHandler) and node.type is not None:
        yield Edit("handler", *source.outer(node.type), "()")


def decorator(node: cst.CSTNode, source: Source) -> Edits:
    """A decorator → nothing"""
    if isinstance(node, cst.Decorator):
        start, end = source.span(node)
        yield Edit("decorator", start, end, "")


def context(node: cst.CSTNode, source: Source) -> Edits:
    """`with a, b:` → without each; without any, the body stays: `if True:`

    A context that binds a name is left: its body could not run.
    """
    if not isinstance(node, cst.With):
        return
    start = source.span(node)[0]
    end = source.data.index(b":", source.outer(node.items[-1])[1])
    for item in node.items:
        if item.asname is None:
            kept = ", ".join(
                source.between(*source.span(other)) for other in node.items if other is not item
            )
            yield Edit("context", start, end, f"with {kept}" if kept else "if True")


Operator = Callable[[cst.CSTNode, Source], Edits]
OPERATORS: tuple[Operator, ...] = (
    arithmetic,
    unary,
    comparison,
    boolean,
    negation,
    ternary,
    unfiltered,
    number,
    string,
    literal,
    argument,
    call,
    bounds,
    element,
    function,
    augmented,
    returned,
    statement,
    loop,
    raised,
    handler,
    decorator,
    context,
)
