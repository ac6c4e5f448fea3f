"""The pages of the reference solutions."""

import ast

import pytest

from assignment import manifest
from grader.authoring.site import reading
from grader.authoring.variants import REFERENCE

DOCUMENTED = (ast.Module, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def undocumented(source):
    """What a module does, but for its imports, without a docstring; and all docstrings."""
    tree, imports = ast.parse(source), ast.Import | ast.ImportFrom
    nodes = (node for node in ast.walk(tree) if isinstance(node, DOCUMENTED))
    docstrings = [node.body.pop(0).value.value for node in nodes if ast.get_docstring(node)]
    return [ast.dump(n) for n in tree.body if not isinstance(n, imports)], docstrings


@pytest.mark.parametrize("module", sorted(REFERENCE.glob("*.py")), ids=lambda path: path.stem)
def test_definitions_are_whole_and_docstrings_of_a_line(module):
    source = module.read_text(encoding="utf-8")
    shown, lines = undocumented("\n\n\n".join(reading.condensed(source).values()))
    whole, docstrings = undocumented(source)
    assert shown == whole
    assert set(lines) <= {text.splitlines()[0] for text in docstrings}


def test_each_chapter_has_a_page_with_its_exercises(book, tmp_path):
    reading.write(book, tmp_path)
    for exercise in manifest.load():
        page = (tmp_path / f"{exercise.chapter}.html").read_text(encoding="utf-8")
        assert f"Exercise <code>{exercise.id}</code>" in page
        for name in exercise.names_in(exercise.chapter):
            assert name in page
