"""The manifest: a mistake is reported in one line, with its place and what is allowed."""

import re

import pytest

from assignment import manifest
from assignment.manifest import ManifestError, parse
from assignment.toml_lines import line_of
from tests.harness.assignment.good_manifest import GOOD


def test_good_manifest_is_read():
    course = parse(GOOD)
    assert [exercise.id for exercise in course] == ["first", "second", "raced"]
    assert course.limits_of(course["second"]).memory_mib == 64
    assert (course.points, course.cuda_points) == (3, 4)


# A change, the line that the error names (None: the changed line), and the error.
POSITIVE = "expected `float` > 0.0"
MISTAKES = {
    "no time": ("seconds = 10", "seconds = -10", None, f"limits.seconds: {POSITIVE}, got -10"),
    "time is nan": ("seconds = 10", "seconds = nan", None, f"limits.seconds: {POSITIVE}, got nan"),
    "endless time": (
        "seconds = 10",
        "seconds = inf",
        None,
        "limits.seconds: expected `float` <= 3600.0, got inf",
    ),
    "no memory": (
        "memory_mib = 512",
        "memory_mib = 0",
        None,
        "limits.memory_mib: expected `int` >= 1, got 0",
    ),
    "half a mebibyte": (
        "memory_mib = 512",
        "memory_mib = 0.5",
        None,
        "limits.memory_mib: expected `int`, got 0.5",
    ),
    "own limit": (
        "limits = { memory_mib = 64 }",
        "limits = { memory_mib = -64 }",
        None,
        "exercise 'second', limits.memory_mib: expected `int` >= 1, got -64",
    ),
    "own limit in a table": (
        "seconds = 1.5",
        "seconds = 0",
        None,
        f"exercise 'raced', limits.seconds: {POSITIVE}, got 0",
    ),
    "own limit's name": (
        "seconds = 1.5",
        "minutes = 1",
        None,
        "exercise 'raced', limits.minutes: no such key; "
        "allowed are seconds, memory_mib, address_space",
    ),
    "a key's name": (
        "points = 2",
        "point = 2",
        None,
        "exercise 'second', point: no such key; did you mean 'points'?; allowed are id, title, "
        "chapter, functions, points, hint, work, depends_on, grader_only, limits, needs",
    ),
    "a key at the top": (
        'title = "A course"',
        'titel = "A course"',
        None,
        "titel: no such key; did you mean 'title'?; allowed are title, package, ",
    ),
    "no key": (
        'chapter = "two"\n',
        "",
        "[[exercise]] # raced",
        "exercise 'raced': the key chapter is missing",
    ),
    "no total": ("points = 3\n", "", 'title = "A course"', "the key points is missing"),
    "points are nan": (
        "points = 2",
        "points = nan",
        None,
        f"exercise 'second', points: {POSITIVE}, got nan",
    ),
    "no points": (
        "points = 2",
        "points = 0",
        None,
        f"exercise 'second', points: {POSITIVE}, got 0",
    ),
    "endless points": (
        "points = 2",
        "points = inf",
        None,
        "exercise 'second', points: expected `float` <= 10000.0, got inf",
    ),
    "points in words": (
        "points = 2",
        'points = "2"',
        None,
        "exercise 'second', points: expected `float`, got '2'",
    ),
    "another sum": (
        "points = 2",
        "points = 1",
        "points = 3",
        "points: expected 2, the sum over the exercises that any machine can grade, got 3; "
        "correct it, or the points of an exercise",
    ),
    "another sum on a device": (
        "cuda_points = 4",
        "cuda_points = 16",
        None,
        "cuda_points: expected 4, the sum over the exercises that need a CUDA device, got 16; ",
    ),
    "a renamed id": (
        'id = "first"',
        'id = "frist"',
        'depends_on = ["first"]',
        "exercise 'second', depends_on: expected ids of exercises above, got 'first'; "
        "did you mean 'frist'?",
    ),
    "a rule twice": (
        'depends_on = ["first"]',
        'grader_only = ["a rule", "a rule"]',
        None,
        "exercise 'second', grader_only: expected rules in words, each once, got 'a rule'",
    ),
    "an id twice": (
        'id = "second"',
        'id = "first" # again',
        None,
        "exercise 'first', id: an exercise above has this id; give each its own",
    ),
    "an id that is none": (
        'id = "second"',
        'id = "2 b"',
        None,
        "exercise '2 b', id: expected `str` matching regex '^\\\\w+$', got '2 b'",
    ),
    "no function": (
        'functions = ["two.third"]',
        "functions = []",
        None,
        "exercise 'raced', functions: expected `array` of length >= 1, got []",
    ),
    "a function without a module": (
        '"one.second",',
        '"second",',
        "functions = [",
        "exercise 'second', functions: expected module.name, got 'second'",
    ),
    "a kind of device": (
        'needs = ["cuda"]',
        'needs = ["rocm"]',
        None,
        "exercise 'raced', needs[0]: expected 'cuda', got 'rocm'",
    ),
    "a table": ("[limits] # all", "[limit]", None, "limit: no such key; did you mean 'limits'?"),
    "an exercise is no list": ("[[exercise]] # raced", "[exercise]", None, "not TOML: "),
    "a word": ("points = 2", "points = two", None, "not TOML: Invalid value"),
    "an open string": ('version = "1"', 'version = "1', None, "not TOML: "),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistake_is_reported_in_one_line(name):
    """With file, line, key and what is allowed"""
    old, new, at, words = MISTAKES[name]
    assert GOOD.count(f"\n{old}") + GOOD.startswith(old) + GOOD.count(f"    {old}") == 1
    text = GOOD.replace(old, new)
    with pytest.raises(ManifestError) as caught:
        parse(text, "course.toml")
    line = 1 + [line.strip() for line in text.split("\n")].index((at or new).strip())
    assert str(caught.value).startswith(f"course.toml:{line}: {words}")
    assert "\n" not in str(caught.value)


def test_unterminated_text_is_reported_with_the_last_line():
    with pytest.raises(ManifestError, match=r"^course\.toml:2: not TOML: .*end of document"):
        parse('title = "x"\nversion = """1', "course.toml")


def test_line_is_that_of_the_key_for_every_kind_of_value():
    text = (
        'a = """\n[x]\nb = 1\n"""\n# c\nx = [\n 1,\n]\n'
        'y = { z = 3, w = 4 }\r\n[t.u]\nv = "\u2028"\nw = 1\n'
    )
    lines = {
        ("a",): 1,
        ("x",): 6,
        ("x", 0): 6,
        ("y", "w"): 9,
        ("t",): 10,
        ("t", "u", "w"): 12,
        ("t", "u", "missing"): 10,
        ("missing",): 1,
        (): 1,
    }
    assert {path: line_of(text, path) for path in lines} == lines


def test_line_of_each_exercise_of_the_repository():
    text = manifest.MANIFEST.read_text(encoding="utf-8")
    heads = [n for n, line in enumerate(text.split("\n"), 1) if line == "[[exercise]]"]
    ours = manifest.load().exercise
    assert len(ours) == len(heads)
    for i in (0, 1, len(ours) // 2, len(ours) - 1):
        assert line_of(text, ("exercise", i)) == heads[i]
        line = text.split("\n")[line_of(text, ("exercise", i, "id")) - 1]
        assert re.fullmatch(f'id = "{ours[i].id}"', line)


def test_file_that_cannot_be_read_is_a_mistake_too(tmp_path, monkeypatch):
    for data in (None, b"title = '\xff'"):
        path = tmp_path / "assignment.toml"
        if data is not None:
            path.write_bytes(data)
        monkeypatch.setattr(manifest, "MANIFEST", path)
        with pytest.raises(ManifestError, match=r"assignment/assignment\.toml cannot be read: "):
            manifest.load.__wrapped__()
