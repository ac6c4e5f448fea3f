"""The names that statements bind, and those that only annotations use."""

from __future__ import annotations

import ast

import libcst as cst


def parameters(node: cst.FunctionDef) -> set[str]:
    """The names of a function's parameters."""
    found = [*node.params.posonly_params, *node.params.params, *node.params.kwonly_params]
    stars = [node.params.star_arg, node.params.star_kwarg]
    found += [star for star in stars if isinstance(star, cst.Param)]
    return {parameter.name.value for parameter in found}


def bound_names(node: cst.CSTNode) -> set[str]:
    """The names that a node binds: an assignment, a loop, a `with` or a definition."""
    match node:
        case cst.SimpleStatementLine(body=small):
            return set().union(*map(bound_names, small))
        case cst.Assign(targets=targets):
            return set().union(*(_names_in_target(target.target) for target in targets))
        case cst.AnnAssign(target=target, value=value) if value is not None:
            return _names_in_target(target)
        case cst.For(target=target) | cst.NamedExpr(target=target):
            return _names_in_target(target)
        case cst.With(items=items):
            return set().union(*(_names_in_target(i.asname.name) for i in items if i.asname))
        case cst.FunctionDef(name=name) | cst.ClassDef(name=name):
            return {name.value}
    return set()


def _names_in_target(target: cst.BaseExpression) -> set[str]:
    match target:
        case cst.Name(value=value):
            return {value}
        case cst.Tuple(elements=elements) | cst.List(elements=elements):
            return set().union(*(_names_in_target(element.value) for element in elements))
    return set()


def type_aliases(text: str) -> set[str]:
    """Module-level names used only in annotations, or to define other such names."""
    tree = ast.parse(text)
    values = {
        target.id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    annotations = [
        annotation
        for node in ast.walk(tree)
        for annotation in (getattr(node, "annotation", None), getattr(node, "returns", None))
        if isinstance(annotation, ast.expr)
    ]
    used = [n for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
    aliases = {node.id for node in used} & values.keys()
    while True:  # until no use of what is left is elsewhere
        types = [*annotations, *(values[name] for name in aliases)]
        inside = {id(node) for one in types for node in ast.walk(one)}
        elsewhere = {node.id for node in used if id(node) not in inside}
        if not aliases & elsewhere:
            return aliases
        aliases -= elsewhere
