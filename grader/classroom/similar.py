"""`pairs.csv`: whose code is alike, for staff to look at. It decides no mark.

Compared are syntax trees with all names of variables, texts and comments taken out: fingerprints of
the sequence of their nodes. What a tenth of the class shares, or three in a small one, and what the
handout gave, says nothing; but whose code is all the same are a pair always.
"""

from __future__ import annotations

import ast
import hashlib
import itertools
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from assignment.manifest import Manifest
from grader.intake import stage
from grader.intake.bounded import run_bounded

_LENGTH = 16  # nodes of a fingerprint
_COMMON = 0.1  # of the class: a fingerprint that more have is no evidence
_FEWEST = 20  # fingerprints of a student who is compared


@dataclass(frozen=True)
class Pair:
    """Two students whose code is alike."""

    first: str
    second: str
    share: float  # of the fingerprints of the one with fewer, that both have
    shared: int  # fingerprints
    where: tuple[str, ...]  # the functions with most of them, as the first student calls them


def pairs(
    code: Mapping[str, Mapping[bytes, str]], given: Collection[bytes], least: float = 0.5
) -> list[Pair]:
    """The pairs whose code is alike, the most alike first.

    `code` has each student's `fingerprints`, and `given` are the handout's. A pair is listed if it
    shares `least` or more.
    """
    own = {student: prints.keys() - set(given) for student, prints in code.items()}
    owners = Counter(print_ for prints in own.values() for print_ in prints)
    most_owners = max(2, _COMMON * len(own))
    rare = {student: {p for p in own[student] if owners[p] <= most_owners} for student in own}
    listed = []
    for first, second in itertools.combinations(sorted(rare), 2):
        fewest = min(len(rare[first]), len(rare[second]))
        shared = rare[first] & rare[second]
        if own[first] == own[second]:
            shared, fewest = own[first], len(own[first])
        if fewest >= _FEWEST and len(shared) >= least * fewest:
            places = Counter(code[first][print_] for print_ in sorted(shared))
            where = tuple(name for name, _ in places.most_common(3))
            listed.append(Pair(first, second, len(shared) / fewest, len(shared), where))
    return sorted(listed, key=lambda pair: (-pair.share, -pair.shared, pair.first))


def read(submission: Path, manifest: Manifest) -> tuple[dict[bytes, str], stage.Selected]:
    """The fingerprints of what a student handed in, and what was read of it.

    Raises:
        SubmissionError: it cannot be read.
        LimitExceeded: its code takes too long to parse.
        GraderFault: it could not be read or parsed otherwise.
    """
    selected = stage.read(submission, manifest.package, manifest.modules)
    data = run_bounded(lambda: msgspec.msgpack.encode(fingerprints(selected.files)), stage.LIMITS)
    return msgspec.msgpack.decode(data, type=dict[bytes, str]), selected


def fingerprints(files: Mapping[str, bytes]) -> dict[bytes, str]:
    """Each fingerprint with the function that it is from."""
    found: dict[bytes, str] = {}
    for name, data in sorted(files.items()):
        try:
            tree = ast.parse(data)
        except (SyntaxError, ValueError, MemoryError, RecursionError):
            continue
        for function in ast.walk(tree):
            if isinstance(function, ast.FunctionDef):
                nodes = list(_nodes(function.body))
                for i in range(len(nodes) - _LENGTH + 1):
                    text = " ".join(nodes[i : i + _LENGTH]).encode()
                    print_ = hashlib.blake2b(text, digest_size=8).digest()
                    found.setdefault(print_, f"{name.removesuffix('.py')}.{function.name}")
    return found


def _nodes(body: Iterable[ast.AST]) -> Iterator[str]:
    """The nodes in order, each as its class; names of attributes stay."""
    todo = list(reversed(list(body)))
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue  # a docstring
        if isinstance(node, ast.expr_context):
            continue
        yield node.attr if isinstance(node, ast.Attribute) else type(node).__name__
        todo += reversed(list(ast.iter_child_nodes(node)))
