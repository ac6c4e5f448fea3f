"""Who handed in what: exports of platforms, plain folders, and what nobody can know."""

import os
from datetime import UTC, datetime

import pytest

from grader.classroom import roster

ROSTER = """id,name,email,canvas_id,moodle_id,section
ada,Ada King,Ada@x.edu,101,7,A1
bob,Bob Ross,bob@x.edu,102,8,102
zoe,Zoë Zed,zoe@x.edu,103,9,7
"""


@pytest.fixture
def listed(tmp_path):
    (tmp_path / "roster.csv").write_text(ROSTER, encoding="utf-8-sig")
    return roster.read_roster(tmp_path / "roster.csv")


@pytest.fixture
def handed(tmp_path):
    """Makes files (or folders, whose names end in a slash); returns what was handed in."""
    folder = tmp_path / "in"
    folder.mkdir()

    def make(*names, metadata="", known=None):
        for name in names:
            (folder / name).mkdir() if name.endswith("/") else (folder / name).touch()
        if metadata:
            (folder / "submission_metadata.yml").write_text(metadata, encoding="utf-8")
        return roster.handed_in(folder, known)

    return make


def counted(found):
    return {student: one.path.name for student, one in found.counted.items()}


def unmatched(found):
    return {path.name: why for path, why in found.unmatched}


def test_in_a_plain_folder_each_entry_is_named_for_its_student(handed, listed):
    names = ("ada.tar.gz", "BOB@x.edu/", "zoe.ZIP", "eve.zip", "x.txt")
    found = roster.match(handed(*names), listed)
    assert counted(found) == {"ada": "ada.tar.gz", "bob": "BOB@x.edu", "zoe": "zoe.ZIP"}
    said = unmatched(found)
    assert said["eve.zip"] == "no line of the roster has 'eve' as id or email or login"
    assert said["x.txt"] == "is neither a folder nor an archive"
    assert set(found.students) == {"ada", "bob", "zoe"}


def test_without_a_roster_whoever_handed_in_is_a_student(handed):
    found = roster.match(handed("ada.zip", "bob/", "a\nb.zip"), None)
    assert counted(found) == {"ada": "ada.zip", "bob": "bob"}
    assert list(unmatched(found)) == ["a\nb.zip"]


def test_of_canvas_the_number_counts(handed, listed):
    names = ("kingada_101_9_hw.zip", "de_la_ross_LATE_102_10_hw.zip", "_777_11_hw.zip")
    others = ("zoe.zip", "zed_103_text.html", "instructions.pdf")  # a TA's, a text, odd ones
    found = roster.match(handed(*names, *others, known=listed), listed)
    assert counted(found) == {"ada": names[0], "bob": names[1], "zoe": "zoe.zip"}
    assert (found.counted["bob"].late, found.counted["ada"].late) == (True, False)
    assert set(unmatched(found)) == {names[2], *others[1:]}


@pytest.mark.parametrize("name", ["x_102_99999999_101_9001_hw.zip", "x_102_101_9001_102_1_a.zip"])
def test_of_canvas_a_name_with_numbers_is_nobodys(handed, listed, name):
    """A student may call themselves `x_102`, which is another one's number"""
    found = roster.match(handed(name, known=listed), listed)
    assert counted(found) == {}
    assert "several lines of the roster have" in unmatched(found)[name]
    alone = roster.match(handed(), None)
    assert alone.counted == {}
    assert "only a roster can tell" in unmatched(alone)[name]


def test_numbers_of_nobody_in_a_name_on_canvas_do_no_harm(handed, listed):
    found = roster.match(handed("x_55_66_101_9001_hw.zip", known=listed), listed)
    assert counted(found) == {"ada": "x_55_66_101_9001_hw.zip"}


def test_of_several_files_of_one_student_none_counts(handed, listed):
    """Canvas gives one for each file of the last attempt"""
    names = ("kingada_101_9_code.zip", "kingada_101_10_data.zip")
    found = roster.match(handed(*names, known=listed), listed)
    assert found.counted == {}
    assert unmatched(found).keys() == set(names)


def test_of_moodle_the_number_counts(handed, listed):
    """The section of another student is the same number, but it identifies nobody"""
    names = ("Ada King_7_assignsubmission_file_/", "Bob Ross_8_assignsubmission_file_hw.zip")
    text = "Zo\u00eb Zed_9_assignsubmission_onlinetext_"
    found = roster.match(handed(*names, f"{text}/"), listed)
    assert counted(found) == {"ada": names[0].rstrip("/"), "bob": names[1]}
    assert list(unmatched(found)) == [text]


def test_staff_decide_without_a_roster_too(handed):
    found = roster.match(handed("homework.zip"), None, {"homework.zip": ["bob"]})
    assert (counted(found), list(found.students)) == ({"bob": "homework.zip"}, ["bob"])


def test_staff_decide_whose_something_is(handed, listed):
    names = ("homework.zip", "spam.zip", "bob.zip")
    decided = {"homework.zip": ["ada", "bob"], "spam.zip": [], "bob.zip": ["zoe"]}
    found = roster.match(handed(*names), listed, decided)
    assert counted(found) == {"ada": "homework.zip", "bob": "homework.zip", "zoe": "bob.zip"}
    assert found.unmatched == []


METADATA = """---
submission_5:
  :submitters:
  - :name: Somebody
    :sid: ada
    :email: other@x.edu
  - :name: Bob
    :sid: ''
    :email: bob@x.edu
  :created_at: {}
submission_6:
  :submitters:
  - :name: Ada King
    :sid: ''
    :email: eve@x.edu
  :created_at: 2026-10-01 12:00:00 Z
submission_7:
  :submitters: []
submission_8:
  :submitters:
  - :name: Ada
    :sid: ada
    :email: bob@x.edu
  :created_at: 2026-10-01 12:00:00 Z
"""
TIMES = ("2026-10-01 10:00:00 Z", "2026-10-01 10:00:00", "'2026-10-01T12:00:00+02:00'")


@pytest.mark.parametrize("created", TIMES)
def test_of_gradescope_each_member_of_a_group_has_it(handed, listed, created):
    """A name, which students choose, identifies nobody"""
    names = [f"submission_{number}/" for number in (5, 6, 7, 8)]
    found = roster.match(handed(*names, "zoe.zip", metadata=METADATA.format(created)), listed)
    assert counted(found) == {"ada": "submission_5", "bob": "submission_5", "zoe": "zoe.zip"}
    assert found.counted["ada"].when == datetime(2026, 10, 1, 10, tzinfo=UTC)
    said = unmatched(found)
    assert said["submission_6"] == "no line of the roster has 'eve@x.edu' as email"
    assert said["submission_7"] == "the export names no student"
    assert said["submission_8"].endswith(": ada, bob")


def test_of_gradescope_the_last_of_several_counts(handed, listed):
    text = METADATA.format(TIMES[0]).replace("eve@x.edu", "ada@x.edu")
    found = roster.match(handed("submission_5/", "submission_6/", metadata=text), listed)
    assert found.counted["ada"].path.name == "submission_6"
    assert [one.path.name for one in found.earlier["ada"]] == ["submission_5"]


def test_of_gradescope_two_addresses_of_a_student_are_one(handed, listed):
    text = METADATA.format(TIMES[0]).replace("bob@", "ada@").replace("other@", "ada@")
    found = roster.match(handed("submission_5/", metadata=text), listed)
    assert (counted(found), found.undecided) == ({"ada": "submission_5"}, set())


def test_two_of_one_student_without_times_are_listed_until_staff_name_one(handed, listed):
    both = handed("ada.zip", "ada@x.edu.zip")
    found = roster.match(both, listed)
    assert (found.counted, found.undecided) == ({}, {"ada"})
    for why in unmatched(found).values():
        assert why.startswith("ada: handed in 2 times (ada.zip, ada@x.edu.zip), and nothing says")
    found = roster.match(both, listed, {"ada.zip": ["ada"]})
    assert (counted(found), found.unmatched, found.undecided) == ({"ada": "ada.zip"}, [], set())
    assert [one.path.name for one in found.earlier["ada"]] == ["ada@x.edu.zip"]


def test_a_key_of_two_students_is_nobodys(handed, tmp_path):
    path = tmp_path / "roster.csv"
    path.write_text("id,canvas_id\nada,5\nbob,5\n")
    found = roster.match(handed("x_5_1_a.zip"), roster.read_roster(path))
    said = "several lines of the roster have '5' as canvas_id: ada, bob"
    assert unmatched(found) == {"x_5_1_a.zip": said}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"name\nAda\n", "has no column id"),
        (b"id;name\nada;Ada\n", "has no column id"),
        (b"id,name\n,Ada\n", ":2: the id '' is empty"),
        (b"id\nada\nada\n", ":3: the id 'ada' is there twice"),
        (b"id\n../x\n", "cannot be a folder's name"),
        (b"id\n=1+1\n", "cannot be a folder's name"),
        (b"id\n", "has no students"),
        (b"id\n\xff\n", "cannot be read"),
    ],
)
def test_roster_that_cannot_be_used_is_refused(tmp_path, text, said):
    path = tmp_path / "roster.csv"
    path.write_bytes(text)
    with pytest.raises(roster.RosterError) as caught:
        roster.read_roster(path)
    assert str(path) in str(caught.value)
    assert said in str(caught.value)


@pytest.mark.parametrize("text", ["[1", "submission_1: 3", "- 1", "submission_1: {}"])
def test_metadata_that_cannot_be_read_is_refused(handed, text):
    with pytest.raises(roster.RosterError, match="as Gradescope's export"):
        handed(metadata=text)


def test_of_moodle_a_file_with_anothers_number_is_nobodys(handed, listed):
    name = "Ada King_7_assignsubmission_file_x_8_assignsubmission_file_hw.zip"
    found = roster.match(handed(name), listed)
    assert counted(found) == {}
    assert "several lines" in unmatched(found)[name]


def test_for_whom_a_group_with_a_stranger_counts_is_said(handed, listed):
    text = METADATA.format(TIMES[0]).replace("bob@x.edu", "gone@x.edu", 1)
    found = roster.match(handed("submission_5/", metadata=text), listed)
    assert counted(found) == {"ada": "submission_5"}
    assert "it counts for ada" in unmatched(found)["submission_5"]


def test_a_name_that_is_not_utf8_is_nobodys(handed):
    found = roster.match(handed("ada.zip", os.fsdecode(b"M\x81ller.zip")), None)
    assert counted(found) == {"ada": "ada.zip"}
    assert len(found.unmatched) == 1


@pytest.mark.parametrize("who", ["..", "a/b"])
def test_staff_name_nobody_who_is_no_folder(handed, who):
    with pytest.raises(roster.RosterError, match="cannot be a folder's name"):
        roster.match(handed("x.zip"), None, {"x.zip": [who]})
