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

TEN = tuple("abcdefghij")
ALL = "".join(TEN)


def run_ten(tmp_path: Path, *files: str) -> Staged:
    """Stages a folder of these files for an assignment of ten modules, `a` to `j`."""
    write_folder(tmp_path / "in", {name: name.encode() for name in files})
    return run(tmp_path / "in", modules=TEN)


def package_of(folder: str, modules: str) -> list[str]:
    return [f"{folder}{module}.py" for module in modules]


# Folders with the modules of each; the first is graded, and this is left out.
FOUND = {
    "its name wins over loose modules": ({f"{PACKAGE}/": "a", "": "a"}, ("a.py (outside)",)),
    "the one with the most modules": (
        {f"hw/sub/{PACKAGE}/": ALL, f"backup/{PACKAGE}/": "a"},
        (f"backup/{PACKAGE}/ (1 of the assignment's 10 modules; hw/sub/{PACKAGE}/ has 10)",),
    ),
    "modules count more than the name": ({"": "abc", f"old/{PACKAGE}/": "ab"}, ()),
    "at any depth": ({f"repo-main/course/assignments/a/b/c/{PACKAGE}/": "ab"}, ()),
    # The whole handout holds them too, even if the student deleted a module.
    "not the handout's stubs": (
        {f"{PACKAGE}/": "abc", "assignment/stubs/": ALL},
        ("assignment/ (10 files outside the package)",),
    ),
    "not what tools create": (
        {
            f"{PACKAGE}/": "ab",
            f"__MACOSX/{PACKAGE}/": "abcdefg",
            f"{PACKAGE}/.ipynb_checkpoints/": "abcdefg",
            f".ipynb_checkpoints/{PACKAGE}/": "abcdefg",
            f"{PACKAGE}/._": "a",
            "._": "b",
        },
        (),
    ),
}


@pytest.mark.parametrize(("folders", "left_out"), FOUND.values(), ids=FOUND)
def test_package_is_found(tmp_path, folders, left_out):
    files = [name for folder, modules in folders.items() for name in package_of(folder, modules)]
    staged = run_ten(tmp_path, *files)
    assert (staged.folder / PACKAGE / "a.py").read_text() == f"{next(iter(folders))}a.py"
    assert staged.left_out == left_out


MORE_THAN_ONCE = f"holds the package more than once: copy/{PACKAGE}/ and {PACKAGE}/ have {{}} of "
MORE_THAN_ONCE += "the assignment's 10 modules each; hand in one of them"
# Folders with the modules of each, and what is said of them.
REFUSED = {
    "a tie": ({f"copy/{PACKAGE}/": "a", f"{PACKAGE}/": "a"}, MORE_THAN_ONCE.format(1)),
    "a whole tie": ({f"copy/{PACKAGE}/": ALL, f"{PACKAGE}/": ALL}, MORE_THAN_ONCE.format(10)),
    "too deep": (
        {"assignments/hw2/": "abcd", "x/y/z/": "a"},
        f"found: 4 of them in assignments/hw2/; hand in that folder alone, or name it {PACKAGE}/",
    ),
    # It is not ignored beside one that is not too deep.
    "deep, with more modules": (
        {"hw1/": "a", "assignments/hw2/": ALL},
        "holds 10 of the assignment's 10 modules in assignments/hw2/ and 1 in hw1/; "
        f"hand in one of these folders, named {PACKAGE}/",
    ),
    "no module": (
        {"essay": "-", "src/main": "-"},
        f"holds no {PACKAGE}/ with the assignment's modules (a.py, b.py, c.py, …); "
        "found: essay-.py, src",
    ),
}


@pytest.mark.parametrize(("folders", "words"), REFUSED.values(), ids=REFUSED)
def test_refusal_names_what_was_found(tmp_path, folders, words):
    files = [name for folder, modules in folders.items() for name in package_of(folder, modules)]
    with pytest.raises(SubmissionError) as caught:
        run_ten(tmp_path, *files)
    assert str(caught.value).endswith(words)
    assert not (tmp_path / "out").exists()


def test_empty_folder_and_empty_archives_are_refused(tmp_path):
    (tmp_path / "in").mkdir()
    for path in (
        tmp_path / "in",
        make_zip(tmp_path / "in.zip", {}),
        write_tar("w")(tmp_path / "in.tar", {}),
        write_tar("w:gz")(tmp_path / "in.tgz", {}),
    ):
        assert "found: nothing" in refused(path)


def test_archives_beside_other_files_are_named_in_the_refusal(tmp_path):
    """A platform may unpack zips and leave other archives packed"""
    write_folder(tmp_path / "in", {"hw.rar": b"Rar!", "hw.7z": b"7z"})
    assert refused(tmp_path / "in").endswith(
        "found: hw.7z, hw.rar; archives beside other files are not unpacked (hw.7z, hw.rar): "
        "hand in one of them alone"
    )


@pytest.mark.parametrize("kind", KINDS)
def test_archive_alone_in_a_submission_is_the_submission(tmp_path, kind):
    inner = make_zip(tmp_path / "inner.zip", {f"{PACKAGE}/strides.py": TEXT}).read_bytes()
    files = {"a/submission.zip": inner, "a/notes.txt": b"", "a/._submission.zip": b""}
    staged = run(KINDS[kind](tmp_path / f"in.{kind}", files))
    assert staged_files(staged) == {f"{PACKAGE}/__init__.py", f"{PACKAGE}/strides.py"}
    assert staged.name == f"in.{kind}"


def test_archive_in_an_archive_in_an_archive_is_not_opened(tmp_path):
    data = make_zip(tmp_path / "1.zip", {f"{PACKAGE}/strides.py": TEXT}).read_bytes()
    data = make_zip(tmp_path / "2.zip", {"inner.zip": data}).read_bytes()
    message = refused(make_zip(tmp_path / "3.zip", {"b.zip": data}))
    assert message.startswith(f"{tmp_path}/3.zip/b.zip holds no {PACKAGE}/")


@pytest.mark.parametrize(
    ("data", "words"),
    [(b"Rar!\x1a\x07\0", "hw.rar is a RAR archive"), (bytes(21 * 2**20), "larger than 20 MiB")],
)
def test_archive_alone_that_cannot_be_read_is_refused(tmp_path, data, words):
    assert words in refused(make_zip(tmp_path / "in.zip", {"hw.rar": data}))


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
    stubs = handed_out("handout/assignment/stubs/", ALL)
    other = handed_out(f"{first}/{PACKAGE}/", ALL)
    write_folder(tmp_path / "in", own | stubs | other)
    staged = run(tmp_path / "in", modules=TEN)
    assert (staged.folder / PACKAGE / "a.py").read_bytes() == b"own"
    assert (
        f"{first}/{PACKAGE}/ (10 of the assignment's 10 modules, as handed out; m/{PACKAGE}/ has 8)"
    ) in staged.left_out


def test_untouched_handout_alone_is_graded(tmp_path):
    files = handed_out("assignment/stubs/", "abc") | handed_out(f"{PACKAGE}/", "abc")
    files |= handed_out(f"again/{PACKAGE}/", "abc")
    staged = run(write_folder(tmp_path / "in", files), modules=TEN)
    assert (staged.folder / PACKAGE / "a.py").read_bytes() == b"a.py"


def test_copies_that_are_the_same_are_no_tie(tmp_path):
    files = handed_out(f"{PACKAGE}/", "abc") | handed_out(f"again/{PACKAGE}/", "abc")
    staged = run(write_folder(tmp_path / "in", files), modules=TEN)
    assert staged.left_out == (
        f"{PACKAGE}/ (3 of the assignment's 10 modules; again/{PACKAGE}/ has 3)",
    )
