"""Clauses of docstrings, and the wrong submissions that quote them."""

from types import SimpleNamespace

import pytest

from assignment import manifest as manifests
from grader.authoring.clauses import (
    Clause,
    ClauseError,
    all_clauses,
    breakers,
    clauses_of,
    unbroken,
)
from grader.authoring.variants import all_wrong, read_wrong

DOCSTRING = """Counts bytes; nothing is read.

    It does so in this order:

    1. look at tokens[a : b],
    2. add them up.

    Args:
        size: how many (0, for example), at least 0; may be larger than
            memory.
        name: of the file.

    Returns:
        The bytes: an int. 0 if there are none.

    Raises:
        ValueError: `size` is negative, `name` is empty, or more than one is given.
        OSError: it cannot be read.

    Source: a book. An example:

        count(1, "a")  # 2
    """


def texts(docstring=DOCSTRING):
    return [clause.text for clause in clauses_of("toy.count", docstring)]


def test_docstring_is_cut_into_clauses():
    assert texts() == [
        *("Counts bytes", "nothing is read", "look at tokens[a : b],", "add them up"),
        *("at least 0", "may be larger than memory"),
        *("The bytes", "an int", "0 if there are none"),
        *("`size` is negative", "`name` is empty", "more than one is given", "it cannot be read"),
    ]


@pytest.mark.parametrize(
    ("quote", "quoted"),
    [
        ("nothing is read", ["nothing is read"]),
        ("is read", ["nothing is read"]),
        ("Counts bytes; nothing is read", ["Counts bytes", "nothing is read"]),
        ("The bytes: an", ["The bytes"]),
        ("nothing is written", []),
    ],
)
def test_quote_belongs_to_the_clauses_that_it_covers(quote, quoted):
    assert [c.text for c in clauses_of("toy.count", DOCSTRING) if c.is_quoted(quote)] == quoted


def wrong(*breaks):
    exercise = SimpleNamespace(id="count", functions=("toy.count",), modules=("toy",))
    return SimpleNamespace(path=SimpleNamespace(name="w.py"), exercise=exercise, breaks=breaks)


def test_each_clause_has_those_who_break_it():
    clauses = {"toy.count": clauses_of("toy.count", DOCSTRING), "toy": []}
    first, second = wrong("nothing is read", "an int"), wrong("an int")
    found = {clause.text: by for clause, by in breakers(clauses, [first, second]).items()}
    assert found["nothing is read"] == [first]
    assert found["an int"] == [first, second]
    assert found["add them up"] == []


def test_quote_of_no_docstring_is_an_error():
    clauses: dict[str, list[Clause]] = {"toy.count": [], "toy": []}
    with pytest.raises(ClauseError, match=r"w\.py: no docstring of count says 'is gone'"):
        breakers(clauses, [wrong("is gone")])


def test_wrong_submission_quotes_what_it_breaks(tmp_path):
    path = tmp_path / "count.py"
    path.write_text(
        '"""count: reads\n\nBreaks: nothing\nis read\n\nBreaks: an int\n"""\n\n\ndef count(): ...\n'
    )
    exercise = SimpleNamespace(id="count")
    found = read_wrong(path, [exercise])
    assert (found.mistake, found.breaks) == ("reads", ("nothing is read", "an int"))


def test_every_clause_is_broken_by_a_wrong_submission():
    """Or `solutions/clauses.toml` says why not; see `grader author uncovered-clauses`"""
    manifest = manifests.load()
    clauses = all_clauses(manifest)
    left = unbroken(clauses, breakers(clauses, all_wrong(manifest)))
    assert [f"{name}: {clause.text}" for name, some in left.items() for clause in some] == []
