"""The manifest: a mistake is reported in one line, with its place and what is allowed."""

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


SECOND, THIRD = "exercise 'second', ", "exercise 'raced', "
# A change, the error, and the line that it names (by default the changed line).
MISTAKES = [
    ("seconds = 10", "seconds = -10", "limits.seconds: expected `float` > 0.0, got -10"),
    ("seconds = 10", "seconds = nan", "limits.seconds: expected `float` > 0.0, got nan"),
    ("seconds = 10", "seconds = inf", "limits.seconds: expected `float` <= 3600.0, got inf"),
    ("memory_mib = 512", "memory_mib = 0", "limits.memory_mib: expected `int` >= 1, got 0"),
    ("memory_mib = 512", "memory_mib = 0.5", "limits.memory_mib: expected `int`, got 0.5"),
    (
        *("limits = { memory_mib = 64 }", "limits = { memory_mib = -64 }"),
        f"{SECOND}limits.memory_mib: expected `int` >= 1, got -64",
    ),
    ("seconds = 1.5", "seconds = 0", f"{THIRD}limits.seconds: expected `float` > 0.0, got 0"),
    (
        *("seconds = 1.5", "minutes = 1"),
        f"{THIRD}limits.minutes: no such key; "
        "allowed are seconds, memory_mib, address_space, files",
    ),
    (
        *("points = 2", "point = 2"),
        f"{SECOND}point: no such key; did you mean 'points'?; allowed are id, title, "
        "chapter, functions, points, hint, minutes, core, work, depends_on, grader_only, limits, "
        "needs",
    ),
    (
        *('title = "A course"', 'titel = "A course"'),
        "titel: no such key; did you mean 'title'?; allowed are title, package, ",
    ),
    ('chapter = "two"\n', "", f"{THIRD[:-2]}: the key chapter is missing", "[[exercise]] # raced"),
    ("points = 3\n", "", "the key points is missing", 'title = "A course"'),
    ("points = 2", "points = nan", f"{SECOND}points: expected `float` > 0.0, got nan"),
    ("points = 2", "points = 0", f"{SECOND}points: expected `float` > 0.0, got 0"),
    ("points = 2", "points = inf", f"{SECOND}points: expected `float` <= 10000.0, got inf"),
    ("points = 2", 'points = "2"', f"{SECOND}points: expected `float`, got '2'"),
    (
        *("points = 2", "points = 1"),
        "points: expected 2, the sum over the core exercises that any machine can grade, got 3; "
        "correct it, or the points of an exercise",
        "points = 3",
    ),
    (
        *("points = 2", "points = 2\ncore = false"),
        "points: expected 1, the sum over the core exercises that any machine can grade, got 3; ",
        "points = 3",
    ),
    (
        *("cuda_points = 4", "cuda_points = 16"),
        "cuda_points: expected 4, the sum over the core exercises that need a CUDA device, got 16",
    ),
    (
        *('id = "first"', 'id = "frist"'),
        f"{SECOND}depends_on: expected ids of exercises above, got 'first'; did you mean 'frist'?",
        'depends_on = ["first"]',
    ),
    (
        *('depends_on = ["first"]', 'grader_only = ["a rule", "a rule"]'),
        f"{SECOND}grader_only: expected rules in words, each once, got 'a rule'",
    ),
    (
        *('id = "second"', 'id = "first" # again'),
        "exercise 'first', id: an exercise above has this id; give each its own",
    ),
    (
        *('id = "second"', 'id = "2 b"'),
        "exercise '2 b', id: expected `str` matching regex '^\\\\w+$', got '2 b'",
    ),
    (
        *('functions = ["two.third"]', "functions = []"),
        f"{THIRD}functions: expected `array` of length >= 1, got []",
    ),
    (
        *('"one.second",', '"second",'),
        f"{SECOND}functions: expected module.name, got 'second'",
        "functions = [",
    ),
    ('needs = ["cuda"]', 'needs = ["rocm"]', f"{THIRD}needs[0]: expected 'cuda', got 'rocm'"),
    ("[limits] # all", "[limit]", "limit: no such key; did you mean 'limits'?"),
    ("[[exercise]] # raced", "[exercise]", "not TOML: "),
    ("points = 2", "points = two", "not TOML: Invalid value"),
    ('version = "1"', 'version = "1', "not TOML: "),
]


@pytest.mark.parametrize(("old", "new", "words", "at"), [(*m, None)[:4] for m in MISTAKES])
def test_mistake_is_reported_in_one_line(old, new, words, at):
    """With file, line, key and what is allowed"""
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


def test_file_that_cannot_be_read_is_a_mistake_too(tmp_path, monkeypatch):
    for data in (None, b"title = '\xff'"):
        path = tmp_path / "assignment.toml"
        if data is not None:
            path.write_bytes(data)
        monkeypatch.setattr(manifest, "MANIFEST", path)
        with pytest.raises(ManifestError, match=r"assignment/assignment\.toml cannot be read: "):
            manifest.load.__wrapped__()
