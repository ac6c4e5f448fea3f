"""Who handed in what: exports of platforms, plain folders, and what nobody can know."""

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

    def make(*names, metadata=""):
        for name in names:
            (folder / name).mkdir() if name.endswith("/") else (folder / name).touch()
        if metadata:
            (folder / "submission_metadata.yml").write_text(metadata, encoding="utf-8")
        return roster.handed_in(folder)

    return make


def counted(found):
    return {student: one.path.name for student, one in found.counted.items()}


def unmatched(found):
    return {path.name: why for path, why in found.unmatched}


def test_in_a_plain_folder_each_entry_is_named_for_its_student(handed, listed):
    found = roster.match(handed("ada.tar.gz", "BOB@x.edu/", "eve.zip", "notes.txt"), listed)
    assert counted(found) == {"ada": "ada.tar.gz", "bob": "BOB@x.edu"}
    said = unmatched(found)
    assert said["eve.zip"] == "no line of the roster has 'eve'"
    assert said["notes.txt"].startswith("is neither a folder nor an archive")
    assert set(found.students) == {"ada", "bob", "zoe"}


def test_without_a_roster_whoever_handed_in_is_a_student(handed):
    found = roster.match(handed("ada.zip", "bob/", "a\nb.zip"), None)
    assert counted(found) == {"ada": "ada.zip", "bob": "bob"}
    assert list(unmatched(found)) == ["a\nb.zip"]


def test_of_canvas_the_last_of_several_counts(handed, listed):
    names = ("kingada_101_9_hw.zip", "kingada_101_12_hw-1.zip", "rossbob_LATE_102_10_hw.zip")
    found = roster.match(handed(*names, "who_777_11_hw.zip", "zed_103_13_flops.py"), listed)
    assert counted(found) == {"ada": names[1], "bob": names[2]}
    assert [one.path.name for one in found.earlier["ada"]] == [names[0]]
    assert (found.counted["bob"].late, found.counted["ada"].late) == (True, False)
    assert set(unmatched(found)) == {"who_777_11_hw.zip", "zed_103_13_flops.py"}


def test_of_moodle_the_number_counts(handed, listed):
    """The section of another student is the same number, but it identifies nobody"""
    names = ("Ada King_7_assignsubmission_file_/", "Bob Ross_8_assignsubmission_file/")
    found = roster.match(handed(*names), listed)
    assert counted(found) == {"ada": names[0].rstrip("/"), "bob": names[1].rstrip("/")}


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
"""
TIMES = ("2026-10-01 10:00:00 Z", "2026-10-01 10:00:00", "'2026-10-01T12:00:00+02:00'")


@pytest.mark.parametrize("created", TIMES)
def test_of_gradescope_each_member_of_a_group_has_it(handed, listed, created):
    """A name, which students choose, identifies nobody"""
    names = [f"submission_{number}/" for number in (5, 6, 7)]
    found = roster.match(handed(*names, metadata=METADATA.format(created)), listed)
    assert counted(found) == {"ada": "submission_5", "bob": "submission_5"}
    assert found.counted["ada"].when == datetime(2026, 10, 1, 10, tzinfo=UTC)
    said = unmatched(found)
    assert said["submission_6"] == "no line of the roster has 'eve@x.edu'"
    assert said["submission_7"] == "the export names no student"


def test_two_of_one_student_without_times_are_listed_and_neither_counts(handed, listed):
    found = roster.match(handed("ada.zip", "ada@x.edu.zip"), listed)
    assert found.counted == {}
    for why in unmatched(found).values():
        assert why.startswith("ada: handed in 2 times (ada.zip, ada@x.edu.zip), and nothing says")


def test_a_key_of_two_students_is_nobodys(handed, tmp_path):
    path = tmp_path / "roster.csv"
    path.write_text("id,canvas_id\nada,5\nbob,5\n")
    found = roster.match(handed("x_5_1_a.zip"), roster.read_roster(path))
    assert unmatched(found) == {"x_5_1_a.zip": "'5' is in several lines of the roster: ada, bob"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"name\nAda\n", ":2: the id '' is empty"),
        (b"id\nada\nada\n", ":3: the id 'ada' is there twice"),
        (b"id\n../x\n", "cannot be a folder's name"),
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
