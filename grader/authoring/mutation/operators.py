"""The mutation operators: each makes the small changes of one kind that a test should notice.

An operator takes a node of a module's tree and its source, and yields edits of the text. An edit
may be invalid: the caller drops what does not compile. The caller also decides which nodes are
skipped (docstrings, annotations, messages).
"""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst

from grader.authoring.mutation import calls, expressions, statements
from grader.authoring.mutation.edits import Edits
from grader.authoring.mutation.source import Source

Operator = Callable[[cst.CSTNode, Source], Edits]
OPERATORS: tuple[Operator, ...] = (
    expressions.arithmetic,
    expressions.unary,
    expressions.comparison,
    expressions.boolean,
    expressions.negation,
    expressions.ternary,
    expressions.unfiltered,
    expressions.number,
    expressions.string,
    expressions.literal,
    calls.argument,
    calls.call,
    expressions.bounds,
    expressions.element,
    expressions.function,
    statements.augmented,
    statements.returned,
    statements.statement,
    statements.loop,
    statements.raised,
    statements.handler,
    statements.decorator,
    statements.context,
)
