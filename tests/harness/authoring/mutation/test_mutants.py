"""What identifies a mutant, and how mutants are sampled and shown."""

import ast

from grader.authoring.mutation.mutants import diff, mutants_of, sampled
from tests.harness.authoring.mutation.toy import TWICE
from tests.harness.conftest import REPOSITORY

REFERENCE = REPOSITORY / "solutions" / "resource_accounting"


def test_mutants_of_the_reference_compile_and_differ():
    """From the reference and from each other, by their syntax trees; each has its own id"""
    text = (REFERENCE / "checkpoint.py").read_text()
    made = mutants_of("checkpoint", text)
    trees = {ast.dump(ast.parse(m.text)) for m in made}
    assert len(trees) == len({m.id for m in made}) == len(made)
    assert ast.dump(ast.parse(text)) not in trees


def test_id_survives_edits_of_other_lines():
    """New lines above, new functions, other indentation: the mutant stays the same"""
    edited = f'"""Doc."""\n\ndef new(a):\n    h(a + 1)\n\n\n{TWICE}\n\nLAST = 1\n'
    before = {m.id: m.text for m in mutants_of("m", TWICE)}
    after = {m.id: m.text for m in mutants_of("m", edited)}
    assert before.keys() <= after.keys()
    assert all(before[i].splitlines() == after[i].splitlines()[6:-3] for i in before)


def test_same_change_in_another_place_has_another_id():
    found = [m for m in mutants_of("m", TWICE) if m.mutated == "h(a - 1)"]
    assert [(m.line, m.occurrence) for m in found] == [(3, 1), (4, 2)]
    assert found[0].id != found[1].id != mutants_of("n", TWICE)[0].id


def test_sample_depends_on_the_seed_and_survives_edits():
    made = mutants_of("flops", (REFERENCE / "flops.py").read_text())
    one = sampled(made, 20, seed=1)
    assert len(one) == 20
    assert [m.line for m in one] == sorted(m.line for m in one)
    assert sampled(made, 20, seed=1) == one != sampled(made, 20, seed=2)
    assert set(one) - {one[0]} <= set(sampled([m for m in made if m != one[0]], 20, seed=1))
    assert sampled(made, 10**6, seed=1) == made


def test_diff_names_file_and_lines():
    (mutant, *_) = mutants_of("m", TWICE)
    lines = diff(TWICE, mutant, "solutions/m.py")
    assert lines[:2] == ["--- solutions/m.py", "+++ solutions/m.py"]
    assert [line for line in lines[2:] if line[0] in "-+"] == ["-    g(a + 1)", "+    pass"]
