"""The list of equivalent mutants."""

import ast
from dataclasses import replace

import pytest

from grader.authoring.mutation import equivalents, plan
from grader.authoring.mutation.equivalents import Entry, Equivalents, EquivalentsError
from grader.authoring.mutation.mutants import mutants_of
from tests.harness.authoring.mutation.toy import TWICE


def entry(mutant, **changes):
    names = ("module", "function", "original", "mutated", "occurrence")
    return Entry(**{**{n: getattr(mutant, n) for n in names}, "reason": "so it is", **changes})


def test_entry_matches_only_its_mutant():
    made = mutants_of("m", TWICE)
    listed = Equivalents([entry(made[-1])])
    assert [m for m in made if listed.entry(m)] == [made[-1]]
    assert listed.unmatched(made, ["m"]) == []


def test_entry_without_a_mutant_is_found_in_checked_modules():
    made = mutants_of("m", TWICE)
    wrong = entry(made[0], original="something else")
    listed = Equivalents([wrong, entry(made[1])])
    assert listed.unmatched(made, ["m"]) == [wrong]
    assert listed.unmatched([], ["another"]) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mutant = 1", "array"),
        ("[[mutant]]\nmodule = 'm'", "function"),
        ("[[mutant]]\nmodule='m'\nfunction='f'\noriginal='a'\nmutated='b'\nreason=' '", "reason"),
        ("[[mutant]]\nmodule='m'\nfunction='f'\noriginal='a'\nmutated='b'\nwhy='c'", "why|reason"),
        (
            2 * "[[mutant]]\nmodule='m'\nfunction='f'\noriginal='a'\nmutated='b'\nreason='c'\n",
            "twi",
        ),
        ("[[mutant", "list.toml"),
    ],
)
def test_invalid_list_is_refused(tmp_path, text, message):
    (tmp_path / "list.toml").write_text(text)
    with pytest.raises(EquivalentsError, match=message) as caught:
        equivalents.load(tmp_path / "list.toml")
    assert "list.toml" in str(caught.value)


def test_every_entry_of_the_repository_matches_a_mutant(tmp_path):
    """No entry is left over. Functions without entries are left empty: that is quicker"""
    own = plan.own_assignment()
    package = own.reference / own.manifest.package
    every = equivalents.load(own.equivalents).unmatched([], own.manifest.modules)
    scopes = {(entry.module, entry.function.partition(".")[0]) for entry in every}
    (tmp_path / package.name).mkdir()
    for path in package.glob("*.py"):
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        for node in reversed(ast.parse("".join(lines)).body):
            if isinstance(node, ast.FunctionDef) and (path.stem, node.name) not in scopes:
                body = slice(node.body[0].lineno - 1, node.end_lineno)
                lines[body] = ["    raise NotImplementedError\n"]
        (tmp_path / package.name / path.name).write_text("".join(lines), encoding="utf-8")
    assert scopes
    assert plan.make(replace(own, reference=tmp_path)).unmatched == ()
