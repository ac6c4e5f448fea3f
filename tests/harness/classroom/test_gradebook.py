"""Marks in the gradebooks that Canvas and Moodle export, and import again."""

import pytest

from grader.classroom.gradebook import GradebookError, read
from grader.classroom.marks import Row
from grader.classroom.roster import Student

CANVAS = """Student,ID,SIS User ID,SIS Login ID,Section,HW1 (77),Current Score
    Points Possible,,,,,100,(read only)
"King, Ada",101,s1,ada@x.edu,A,,5
"Ross, Bob",102,s2,bob@x.edu,A,EX,5
"Lind, Eve",103,s3,eve@x.edu,B,80,5
"""
MOODLE = """Identifier,Full name,Email address,Status,Grade,"Last modified (grade)"
Participant 7,Ada King,ada@x.edu,Submitted,,-
Participant 8,Bob Ross,bob@x.edu,Submitted,3,-
"""
ROWS = [
    Row(Student("ada", keys={"canvas_id": "101", "moodle_id": "7"}), "graded", final=72.5),
    Row(Student("bob", keys={"login": "bob@x.edu", "email": "bob@x.edu"}), "graded", is_held=True),
    Row(Student("eve", keys={"canvas_id": "103"}), "missing"),
    Row(Student("tim", keys={"canvas_id": "104"}), "graded", final=1.0),
]


@pytest.mark.parametrize(
    ("text", "column", "line"),
    [
        (CANVAS, "HW1 (77)", '"King, Ada",101,s1,ada@x.edu,A,72.5,5'),
        (MOODLE, None, "Participant 7,Ada King,ada@x.edu,Submitted,72.5,-"),
    ],
    ids=["Canvas", "Moodle"],
)
def test_marks_that_may_leave_are_filled_in_and_held_ones_taken_out(tmp_path, text, column, line):
    book = tmp_path / "book.csv"
    book.write_text(text, encoding="utf-8-sig")
    data, left = read(book, column).filled(ROWS)
    expected = text.splitlines()
    row = next(i for i, old in enumerate(expected) if "Ada" in old)
    expected[row] = line
    expected = [
        old.replace("EX", "").replace("Submitted,3,", "Submitted,,").replace("B,80", "B,")
        for old in expected
    ]
    expected[0] = expected[0].replace('"', "")
    assert data.decode().splitlines() == expected
    assert left == ["tim"]


@pytest.mark.parametrize(
    "keys",
    [
        ({"email": "ada@x.edu"}, {"email": "ada@x.edu"}),
        ({"email": "ada@x.edu"}, {"moodle_id": "7"}),
    ],
    ids=["one key", "contradicting cells"],
)
def test_a_line_of_two_students_gets_no_mark(tmp_path, keys):
    book = tmp_path / "book.csv"
    book.write_text(MOODLE)
    twice = [Row(Student(str(i), keys=key), "graded", final=1.0) for i, key in enumerate(keys)]
    data, left = read(book, None).filled(twice)
    assert data.decode().splitlines()[1] == MOODLE.splitlines()[1]
    assert left == ["0", "1"]


@pytest.mark.parametrize(
    ("text", "said"),
    [(CANVAS, "no column 'Grade'; Canvas's needs --column, with one of: Student, ID"), ("", "no")],
)
def test_gradebook_without_the_column_is_refused(tmp_path, text, said):
    book = tmp_path / "book.csv"
    book.write_text(text)
    with pytest.raises(GradebookError, match=said):
        read(book, None)
