"""Which folder of a submission is the package, and what the refusal says if none is."""

from pathlib import Path

import pytest

from grader.intake.entries import SubmissionError
from tests.harness.intake.archives import (
    KINDS,
    PACKAGE,
    TEXT,
    Staged,
    make_zip,
    refused,
    run,
    staged_files,
    write_folder,
    write_tar,
)


def test_folder_with_the_packages_name_wins_over_loose_modules(tmp_path):
    write_folder(tmp_path / "in", {"strides.py": b"1", f"{PACKAGE}/strides.py": b"2"})
    staged = run(tmp_path / "in", tmp_path / "out")
    assert (staged.folder / PACKAGE / "strides.py").read_bytes() == b"2"
    assert staged.left_out == ("strides.py (outside)",)


TEN = tuple("abcdefghij")


def run_ten(tmp_path: Path, *files: str) -> Staged:
    """Stages a folder of these files for an assignment of ten modules, `a` to `j`."""
    write_folder(tmp_path / "in", {name: name.encode() for name in files})
    return run(tmp_path / "in", tmp_path / "out", TEN)


def package_of(folder: str, modules: str) -> list[str]:
    return [f"{folder}{module}.py" for module in modules]


def test_package_with_the_most_modules_is_graded_and_the_others_are_reported(tmp_path):
    staged = run_ten(
        tmp_path,
        *package_of(f"backup/{PACKAGE}/", "a"),
        *package_of(f"hw/sub/{PACKAGE}/", "abcdefghij"),
    )
    assert (staged.folder / PACKAGE / "a.py").read_text() == f"hw/sub/{PACKAGE}/a.py"
    assert staged.left_out == (
        f"backup/{PACKAGE}/ (1 of the assignment's 10 modules; hw/sub/{PACKAGE}/ has 10)",
    )


@pytest.mark.parametrize("deep", ["a/b/c/d/e", "repo-main/course/assignments/hw2"])
def test_package_by_its_name_is_found_at_any_depth(tmp_path, deep):
    staged = run_ten(tmp_path, *package_of(f"{deep}/{PACKAGE}/", "ab"), "README.md")
    assert (staged.folder / PACKAGE / "a.py").read_text() == f"{deep}/{PACKAGE}/a.py"


def test_number_of_modules_counts_more_than_the_folders_name(tmp_path):
    staged = run_ten(tmp_path, *package_of("", "abc"), *package_of(f"old/{PACKAGE}/", "ab"))
    assert (staged.folder / PACKAGE / "a.py").read_text() == "a.py"


@pytest.mark.parametrize("modules", ["a", "abcdefghij"])
def test_tie_is_refused_and_names_both_folders(tmp_path, modules):
    with pytest.raises(SubmissionError) as caught:
        run_ten(
            tmp_path, *package_of(f"copy/{PACKAGE}/", modules), *package_of(f"{PACKAGE}/", modules)
        )
    assert (
        f"holds the package more than once: copy/{PACKAGE}/ and {PACKAGE}/ have {len(modules)} of "
        "the assignment's 10 modules each; hand in one of them"
    ) in str(caught.value)
    assert not (tmp_path / "out").exists()


def test_stubs_of_the_handout_are_not_the_package(tmp_path):
    """The whole handout holds them too, even if the student deleted a module"""
    staged = run_ten(
        tmp_path, *package_of(f"{PACKAGE}/", "abc"), *package_of("assignment/stubs/", TEN)
    )
    assert (staged.folder / PACKAGE / "a.py").read_text() == f"{PACKAGE}/a.py"
    assert staged.left_out == ("assignment/ (10 files outside the package)",)


def test_folders_that_tools_create_are_not_the_package(tmp_path):
    staged = run_ten(
        tmp_path,
        *package_of(f"{PACKAGE}/", "ab"),
        *package_of(f"__MACOSX/{PACKAGE}/", "abcdefg"),
        *package_of(f"{PACKAGE}/.ipynb_checkpoints/", "abcdefg"),
        *package_of(f".ipynb_checkpoints/{PACKAGE}/", "abcdefg"),
        *(f"{PACKAGE}/._a.py", "._b.py"),
    )
    assert (staged.folder / PACKAGE / "a.py").read_text() == f"{PACKAGE}/a.py"
    assert staged.left_out == ()


def test_refusal_says_where_modules_were_found(tmp_path):
    with pytest.raises(SubmissionError) as caught:
        run_ten(tmp_path, *package_of("assignments/hw2/", "abcd"), *package_of("x/y/z/", "a"))
    assert str(caught.value).endswith(
        f"found: 4 of them in assignments/hw2/; hand in that folder alone, or name it {PACKAGE}/"
    )


def test_deep_folder_with_more_modules_is_refused_not_ignored(tmp_path):
    with pytest.raises(SubmissionError) as caught:
        run_ten(tmp_path, "hw1/a.py", *package_of("assignments/hw2/", TEN))
    assert (
        "holds 10 of the assignment's 10 modules in assignments/hw2/ and 1 in hw1/; "
        f"hand in one of these folders, named {PACKAGE}/"
    ) in str(caught.value)


def test_empty_folder_and_empty_archives_are_refused(tmp_path):
    (tmp_path / "in").mkdir()
    for path in (
        tmp_path / "in",
        make_zip(tmp_path / "in.zip", {}),
        write_tar("w")(tmp_path / "in.tar", {}),
        write_tar("w:gz")(tmp_path / "in.tgz", {}),
    ):
        assert "found: nothing" in refused(path, tmp_path / "out")


def test_submission_without_a_module_is_refused_and_its_files_are_named(tmp_path):
    write_folder(tmp_path / "in", {"essay.pdf": b"%PDF", "src/main.py": TEXT})
    message = refused(tmp_path / "in", tmp_path / "out")
    assert f"holds no {PACKAGE}/" in message
    assert "found: essay.pdf, src" in message


def test_archives_beside_other_files_are_named_in_the_refusal(tmp_path):
    """A platform may unpack zips and leave other archives packed"""
    write_folder(tmp_path / "in", {"hw.rar": b"Rar!", "hw.7z": b"7z"})
    assert refused(tmp_path / "in", tmp_path / "out").endswith(
        "found: hw.7z, hw.rar; archives beside other files are not unpacked (hw.7z, hw.rar): "
        "hand in one of them alone"
    )


@pytest.mark.parametrize("kind", KINDS)
def test_archive_alone_in_a_submission_is_the_submission(tmp_path, kind):
    inner = make_zip(tmp_path / "inner.zip", {f"{PACKAGE}/strides.py": TEXT}).read_bytes()
    files = {"a/submission.zip": inner, "a/notes.txt": b"", "a/._submission.zip": b""}
    staged = run(KINDS[kind](tmp_path / f"in.{kind}", files), tmp_path / "out")
    assert staged_files(staged) == {f"{PACKAGE}/__init__.py", f"{PACKAGE}/strides.py"}
    assert staged.name == f"in.{kind}"


def test_archive_in_an_archive_in_an_archive_is_not_opened(tmp_path):
    data = make_zip(tmp_path / "1.zip", {f"{PACKAGE}/strides.py": TEXT}).read_bytes()
    data = make_zip(tmp_path / "2.zip", {"inner.zip": data}).read_bytes()
    message = refused(make_zip(tmp_path / "3.zip", {"b.zip": data}), tmp_path / "out")
    assert message.startswith(f"{tmp_path}/3.zip/b.zip holds no {PACKAGE}/")


@pytest.mark.parametrize(
    ("data", "words"),
    [(b"Rar!\x1a\x07\0", "hw.rar is a RAR archive"), (bytes(21 * 2**20), "larger than 20 MiB")],
)
def test_archive_alone_that_cannot_be_read_is_refused(tmp_path, data, words):
    assert words in refused(make_zip(tmp_path / "in.zip", {"hw.rar": data}), tmp_path / "out")


COPIES = ["a (1).py", "a(2).py", "a-1.py", "a copy.py", "doejane_123_4567_a.py"]
COPIES += ["doejane_LATE_123_4567_a-2.py"]


@pytest.mark.parametrize("name", COPIES)
@pytest.mark.parametrize("folder", ["", f"{PACKAGE}/"])
def test_only_copy_of_a_module_is_that_module(tmp_path, name, folder):
    staged = run_ten(tmp_path, *package_of(folder, "bc"), f"{folder}{name}")
    assert (staged.folder / PACKAGE / "a.py").read_text() == f"{folder}{name}"
    assert staged.left_out == (f"{folder}{name} (graded as a.py)",)


def test_copy_outside_the_package_is_not_said_to_be_graded(tmp_path):
    staged = run_ten(tmp_path, *package_of(f"{PACKAGE}/", "abc"), "notes/a (1).py")
    assert not any("graded as" in said for said in staged.left_out)


@pytest.mark.parametrize("names", [("a.py", "a (1).py"), ("a (1).py", "a (2).py"), ("my_a.py",)])
def test_copy_is_not_guessed(tmp_path, names):
    staged = run_ten(tmp_path, *package_of("", "bc"), *names)
    assert (staged.folder / PACKAGE / "a.py").exists() == ("a.py" in names)


def handed_out(folder: str, modules: str) -> dict[str, bytes]:
    return {name: name[-4:].encode() for name in package_of(folder, modules)}


@pytest.mark.parametrize("first", ["a", "z"])
def test_copy_that_is_as_handed_out_is_not_graded(tmp_path, first):
    """Even if it has more modules"""
    own = dict.fromkeys(package_of(f"m/{PACKAGE}/", "abcdefgh"), b"own")
    stubs = handed_out("handout/assignment/stubs/", "abcdefghij")
    other = handed_out(f"{first}/{PACKAGE}/", "abcdefghij")
    write_folder(tmp_path / "in", own | stubs | other)
    staged = run(tmp_path / "in", tmp_path / "out", TEN)
    assert (staged.folder / PACKAGE / "a.py").read_bytes() == b"own"
    assert (
        f"{first}/{PACKAGE}/ (10 of the assignment's 10 modules, as handed out; m/{PACKAGE}/ has 8)"
    ) in staged.left_out


def test_untouched_handout_alone_is_graded(tmp_path):
    files = handed_out("assignment/stubs/", "abc") | handed_out(f"{PACKAGE}/", "abc")
    files |= handed_out(f"again/{PACKAGE}/", "abc")
    staged = run(write_folder(tmp_path / "in", files), tmp_path / "out", TEN)
    assert (staged.folder / PACKAGE / "a.py").read_bytes() == b"a.py"


def test_copies_that_are_the_same_are_no_tie(tmp_path):
    files = handed_out(f"{PACKAGE}/", "abc") | handed_out(f"again/{PACKAGE}/", "abc")
    staged = run(write_folder(tmp_path / "in", files), tmp_path / "out", TEN)
    assert staged.left_out == (
        f"{PACKAGE}/ (3 of the assignment's 10 modules; again/{PACKAGE}/ has 3)",
    )
