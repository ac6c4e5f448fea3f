"""A parsed module: the text, position and parents of each node."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator

import libcst as cst
from libcst.metadata import ByteSpanPositionProvider, MetadataWrapper, ParentNodeProvider


class Source:
    """The text and the tree of a module. Positions are in bytes."""

    def __init__(self, text: str) -> None:
        wrapper = MetadataWrapper(cst.parse_module(text))
        self.module = wrapper.module
        self.data = text.encode()
        self._spans = wrapper.resolve(ByteSpanPositionProvider)
        self._parents = wrapper.resolve(ParentNodeProvider)
        self.imported = {  # the names that imports bind, anywhere in the module
            (alias.asname or alias.name).partition(".")[0]
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.Import | ast.ImportFrom)
            for alias in node.names
        }
        self.signatures = _signatures(self.module)

    def span(self, node: cst.CSTNode) -> tuple[int, int]:
        """Start and end of a node, without the parentheses around it."""
        span = self._spans[node]
        return span.start, span.start + span.length

    def span_with_parentheses(self, node: cst.CSTNode) -> tuple[int, int]:
        """Start and end of a node, with the parentheses around it."""
        if isinstance(node, cst.BaseExpression) and node.lpar:
            return self.span(node.lpar[0])[0], self.span(node.rpar[-1])[1]
        return self.span(node)

    def text(self, node: cst.CSTNode) -> str:
        """A node's text, with the parentheses around it."""
        return self.between(*self.span_with_parentheses(node))

    def between(self, start: int, end: int) -> str:
        """The text between two positions."""
        return self.data[start:end].decode()

    def line(self, position: int) -> int:
        """The line number of a position, from 1."""
        return self.data.count(b"\n", 0, position) + 1

    def parent(self, node: cst.CSTNode) -> cst.CSTNode | None:
        """The parent of a node; None for the module."""
        found: cst.CSTNode | None = self._parents.get(node)
        return found

    def parents(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        """All parents of a node, innermost first."""
        while (parent := self.parent(node)) is not None:
            yield (node := parent)


def dotted(node: cst.BaseExpression) -> str:
    """A name, or attributes of a name (`a.b.c`), as text; "" for any other expression."""
    match node:
        case cst.Name(value=value):
            return value
        case cst.Attribute(value=inner, attr=cst.Name(value=attr)):
            return f"{found}.{attr}" if (found := dotted(inner)) else ""
    return ""


def _signatures(module: cst.Module) -> dict[str, inspect.Signature]:
    """The signature of each top-level function."""
    functions = (node for node in module.body if isinstance(node, cst.FunctionDef))
    return {function.name.value: _signature(function.params) for function in functions}


def _signature(parameters: cst.Parameters) -> inspect.Signature:
    kinds = [
        (parameters.posonly_params, inspect.Parameter.POSITIONAL_ONLY),
        (parameters.params, inspect.Parameter.POSITIONAL_OR_KEYWORD),
        ([parameters.star_arg], inspect.Parameter.VAR_POSITIONAL),
        (parameters.kwonly_params, inspect.Parameter.KEYWORD_ONLY),
        ([parameters.star_kwarg], inspect.Parameter.VAR_KEYWORD),
    ]
    return inspect.Signature(
        [
            inspect.Parameter(
                found.name.value,
                kind,
                default=inspect.Parameter.empty if found.default is None else None,
            )
            for group, kind in kinds
            for found in group
            if isinstance(found, cst.Param)
        ]
    )
