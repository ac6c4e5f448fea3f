"""Staging: which files are copied, and which are left out and reported."""

import os
import signal
import stat
import tarfile
import zipfile
from pathlib import Path

import pytest

from grader.faults import GraderFault
from grader.intake import entries
from grader.intake import stage as staging
from grader.intake.bounded import LimitExceeded
from grader.intake.entries import SubmissionError
from tests.harness.intake.archives import (
    KINDS,
    MODULES,
    PACKAGE,
    TEXT,
    make_zip,
    member,
    refused,
    run,
    staged_files,
    tar_bytes,
    write_folder,
)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "prefix",
    [
        "resource_accounting/",
        "homework/resource_accounting/",
        "a/b/resource_accounting/",
        "",
        "hw/",
    ],
)
def test_package_is_found_in_every_kind_of_archive_and_some_levels_down(tmp_path, kind, prefix):
    files = {f"{prefix}{name}.py": TEXT + name.encode() for name in ("strides", "flops", "own")}
    staged = run(KINDS[kind](tmp_path / f"in.{kind}", files))
    assert staged_files(staged) == {
        f"{PACKAGE}/{name}.py" for name in ("__init__", "strides", "flops", "own")
    }
    assert (staged.folder / PACKAGE / "flops.py").read_bytes() == TEXT + b"flops"
    assert staged.left_out == ()


def test_helper_modules_and_subpackages_are_copied(tmp_path):
    files = {f"{PACKAGE}/{name}": TEXT for name in ("__init__.py", "strides.py", "own/deep.py")}
    staged = run(write_folder(tmp_path / "in", files))
    assert staged_files(staged) == set(files)


def test_staged_files_are_plain_and_not_executable(tmp_path):
    write_folder(tmp_path / "in", {"strides.py": TEXT})
    (tmp_path / "in" / "strides.py").chmod(0o4777)
    staged = run(tmp_path / "in")
    mode = (staged.folder / PACKAGE / "strides.py").stat().st_mode
    assert stat.S_ISREG(mode)
    assert stat.S_IMODE(mode) == 0o644


@pytest.mark.parametrize("kind", KINDS)
def test_everything_but_the_students_modules_is_left_out_and_reported(tmp_path, kind):
    files = {
        f"{PACKAGE}/strides.py": TEXT,
        f"{PACKAGE}/conftest.py": TEXT,
        f"{PACKAGE}/test_strides.py": TEXT,
        f"{PACKAGE}/notes.txt": TEXT,
        f"{PACKAGE}/evil.pth": TEXT,
        f"{PACKAGE}/native.so": TEXT,
        f"{PACKAGE}/2bad-name.py": TEXT,
        f"{PACKAGE}/strides.pyc": TEXT,
        f"{PACKAGE}/__pycache__/strides.cpython-311.pyc": TEXT,
        "conftest.py": TEXT,
        "torch.py": TEXT,
        "sitecustomize.py": TEXT,
        "pytest.ini": TEXT,
        "tests/hidden/test_strides.py": TEXT,
        "tests/hidden/test_flops.py": TEXT,
    }
    staged = run(KINDS[kind](tmp_path / f"in.{kind}", files))
    assert staged_files(staged) == {f"{PACKAGE}/__init__.py", f"{PACKAGE}/strides.py"}
    assert set(staged.left_out) == {
        f"{PACKAGE}/conftest.py (tests are the grader's own)",
        f"{PACKAGE}/test_strides.py (tests are the grader's own)",
        f"{PACKAGE}/notes.txt (not a Python module)",
        f"{PACKAGE}/evil.pth (not a Python module)",
        f"{PACKAGE}/native.so (not a Python module)",
        f"{PACKAGE}/2bad-name.py (not a Python module)",
        "conftest.py (outside)",
        "torch.py (outside)",
        "sitecustomize.py (outside)",
        "pytest.ini (outside)",
        "tests/ (2 files outside the package)",
    }


LINKED, NO_FILE = "is a link; hand in the file or folder itself", "is no regular file"
ODD_KINDS = {
    "link": (tarfile.SYMTYPE, "/etc/passwd", LINKED),
    "link upwards": (tarfile.SYMTYPE, "../../../secret.py", LINKED),
    "hard link": (tarfile.LNKTYPE, "/etc/passwd", LINKED),
    "device": (tarfile.CHRTYPE, "", NO_FILE),
    "block device": (tarfile.BLKTYPE, "", NO_FILE),
    "pipe": (tarfile.FIFOTYPE, "", NO_FILE),
}


@pytest.mark.parametrize("kind", ODD_KINDS)
@pytest.mark.parametrize("name", ["flops", "own"])
def test_module_that_is_no_regular_file_is_refused(tmp_path, kind, name):
    """If it were left out, the student would seem never to have written it"""
    *odd, words = ODD_KINDS[kind]
    members = [(member(f"{PACKAGE}/strides.py"), TEXT), (member(f"{PACKAGE}/{name}.py", *odd), b"")]
    (tmp_path / "in.tar").write_bytes(tar_bytes(members))
    expected = f"{tmp_path}/in.tar: {PACKAGE}/{name}.py {words}"
    assert refused(tmp_path / "in.tar") == expected


@pytest.mark.parametrize(("kind", "words"), [("link", LINKED), ("pipe", NO_FILE)])
def test_module_of_a_folder_that_is_no_regular_file_is_refused(tmp_path, kind, words):
    write_folder(tmp_path / "in", {f"{PACKAGE}/strides.py": TEXT})
    odd = tmp_path / "in" / PACKAGE / "flops.py"
    if kind == "link":
        odd.symlink_to("strides.py")
    else:
        os.mkfifo(odd)
    expected = f"{tmp_path}/in: {PACKAGE}/flops.py {words}"
    assert refused(tmp_path / "in") == expected


@pytest.mark.parametrize("kind", ["folder", "zip"])
def test_link_as_the_package_is_named(tmp_path, kind):
    if kind == "folder":
        write_folder(tmp_path, {"work/strides.py": TEXT, "in/notes.txt": TEXT})
        (tmp_path / "in" / PACKAGE).symlink_to(tmp_path / "work")
    else:
        link = zipfile.ZipInfo(PACKAGE)
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        with zipfile.ZipFile(tmp_path / "in", "w") as archive:
            archive.writestr(link, "../work")
    message = refused(tmp_path / "in")
    assert message.endswith(f"; {PACKAGE} {LINKED}")


HARMFUL_NAMES = [
    f"../{PACKAGE}/flops.py",
    f"{PACKAGE}/../../flops.py",
    f"{PACKAGE}/../../../../../../tmp/flops.py",
    f"/{PACKAGE}/flops.py",
    "/etc/flops.py",
    f"{PACKAGE}/..\\..\\flops.py",
    f"..\\{PACKAGE}\\flops.py",
]


@pytest.mark.parametrize("kind", ["zip", "tar", "tar.gz"])
def test_names_that_lead_outside_write_nothing_there(tmp_path, kind):
    files = {f"{PACKAGE}/strides.py": TEXT} | dict.fromkeys(HARMFUL_NAMES, b"escaped = True")
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    before = set(tmp_path.rglob("*"))
    staged = run(KINDS[kind](inner / f"in.{kind}", files), inner / "out")
    assert staged_files(staged) == {f"{PACKAGE}/__init__.py", f"{PACKAGE}/strides.py"}
    new = set(tmp_path.rglob("*")) - before
    assert all(p.is_relative_to(inner) for p in new)
    assert not any(b"escaped" in p.read_bytes() for p in (inner / "out").rglob("*.py"))
    assert staged.left_out


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_last_of_several_files_of_one_name_is_taken(tmp_path, kind):
    """As archivers do: an archive that was brought up to date holds the old file, too"""
    path = tmp_path / f"in.{kind}"
    names = [f"{PACKAGE}/strides.py", f"./{PACKAGE}/strides.py", f"{PACKAGE}/Strides.py"]
    bodies = [b"first", b"second", b"another"]
    if kind == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            for name, body in zip(names, bodies, strict=True):
                archive.writestr(name, body)
    else:
        path.write_bytes(tar_bytes([(member(n), b) for n, b in zip(names, bodies, strict=True)]))
    staged = run(path)
    assert (staged.folder / PACKAGE / "strides.py").read_bytes() == b"second"
    assert (staged.folder / PACKAGE / "Strides.py").read_bytes() == b"another"
    assert staged.left_out == ()


def test_module_is_its_last_entry_even_if_that_is_a_link(tmp_path):
    link = member(f"{PACKAGE}/strides.py", tarfile.SYMTYPE, "flops.py")
    members = [(member(f"{PACKAGE}/strides.py"), TEXT), (link, b"")]
    (tmp_path / "in.tar").write_bytes(tar_bytes(members))
    assert LINKED in refused(tmp_path / "in.tar")


def test_odd_names_are_left_out_and_made_printable(tmp_path):
    odd = [
        "\x1b[2Jclear.py",
        "\x1b]0;title\x07.py",
        "‮gpj.py",
        "a\nb.py",
        "a b.py",
        "-rf.py",
        "class é.py",
    ]
    files = {f"{PACKAGE}/strides.py": TEXT} | {f"{PACKAGE}/{name}": TEXT for name in odd}
    staged = run(make_zip(tmp_path / "in.zip", files))
    assert staged_files(staged) == {f"{PACKAGE}/__init__.py", f"{PACKAGE}/strides.py"}
    assert len(staged.left_out) == len(odd)
    assert all(line.isprintable() for line in staged.left_out)


def test_name_that_is_not_utf8_is_left_out(tmp_path):
    package = tmp_path / "in" / PACKAGE
    package.mkdir(parents=True)
    (package / "strides.py").write_bytes(TEXT)
    (Path(os.fsdecode(os.fsencode(package) + b"/\xff\xfe.py"))).write_bytes(TEXT)
    staged = run(tmp_path / "in")
    assert staged_files(staged) == {f"{PACKAGE}/__init__.py", f"{PACKAGE}/strides.py"}
    assert len(staged.left_out) == 1


@pytest.mark.parametrize(
    "name",
    ["a" * 300 + ".py", "/".join(["a"] * 2000) + "/b.py", "/".join(["ab" * 50] * 60) + "/b.py"],
    ids=["long", "deep", "long-and-deep"],
)
@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_name_too_long_for_a_file_system_is_left_out(tmp_path, kind, name):
    files = {f"{PACKAGE}/strides.py": TEXT, f"{PACKAGE}/{name}": TEXT}
    staged = run(KINDS[kind](tmp_path / f"in.{kind}", files))
    assert staged_files(staged) == {f"{PACKAGE}/__init__.py", f"{PACKAGE}/strides.py"}
    assert [line.endswith("(its name is too long)") for line in staged.left_out] == [True]


@pytest.mark.parametrize("kind", ["folder", "zip", "tar.gz"])
def test_module_over_the_size_limit_is_refused(tmp_path, kind):
    large = b"#" * (entries.MAX_BYTES + 1)
    files = {f"{PACKAGE}/strides.py": TEXT, f"{PACKAGE}/large.py": large}
    path = KINDS[kind](tmp_path / f"in.{kind}", files)
    expected = f"{path}: {PACKAGE}/large.py is larger than 2 MiB"
    assert refused(path) == expected


def test_module_that_claims_to_be_large_is_refused(tmp_path):
    path = make_zip(tmp_path / "in.zip", {f"{PACKAGE}/strides.py": TEXT})
    size = len(TEXT).to_bytes(4, "little")
    head, directory, tail = path.read_bytes().partition(b"PK\1\2")
    assert tail.count(size) >= 1
    path.write_bytes(head + directory + tail.replace(size, b"\xfe\xff\xff\xff"))
    assert "is larger than 2 MiB" in refused(path)


def test_package_of_too_many_modules_is_refused(tmp_path):
    files = {f"{PACKAGE}/m{i:04}.py": TEXT for i in range(staging.MAX_FILES)}
    path = make_zip(tmp_path / "in.zip", {f"{PACKAGE}/strides.py": TEXT} | files)
    assert refused(path) == (
        f"{path}: {PACKAGE}/ has more than 200 modules or 8 MiB of them; hand in your modules alone"
    )


def test_files_left_out_are_counted_after_the_first(tmp_path):
    files = {f"{PACKAGE}/{i}.txt": TEXT for i in range(100)}
    staged = run(make_zip(tmp_path / "in.zip", {f"{PACKAGE}/strides.py": TEXT} | files))
    assert len(staged.left_out) == 51
    assert staged.left_out[-1] == "and 50 more"


def test_zip_of_many_large_members_is_not_read_to_its_end(tmp_path, monkeypatch):
    """Reading stops at the limit on the total size"""
    many = 4 * staging.MAX_TOTAL // entries.MAX_BYTES
    files = {f"{PACKAGE}/m{i:02}.py": b"#" * entries.MAX_BYTES for i in range(many)}
    path = make_zip(tmp_path / "in.zip", files | {f"{PACKAGE}/strides.py": TEXT})
    sizes = []
    read = zipfile.ZipExtFile.read

    def counting(self, size=-1):
        data = read(self, size)
        sizes.append(len(data))
        return data

    monkeypatch.setattr(zipfile.ZipExtFile, "read", counting)
    with pytest.raises(SubmissionError, match="more than 200 modules or 8 MiB"):
        staging.select(path, PACKAGE, MODULES)  # in this process
    assert staging.MAX_TOTAL // 2 < sum(sizes) <= staging.MAX_TOTAL + entries.MAX_BYTES


def test_submission_that_takes_too_long_to_read_is_refused(tmp_path, monkeypatch):
    """`test_tar_entries.py` has one that takes too much memory, `test_bounded.py` a loop"""

    def too_long(*_):
        raise LimitExceeded("1 s of CPU time")

    monkeypatch.setattr(staging, "run_bounded", too_long)
    path = make_zip(tmp_path / "in.zip", {f"{PACKAGE}/strides.py": TEXT})
    assert refused(path) == (
        f"{path} takes more than 1 s of CPU time to read; hand in the package alone"
    )


def test_process_that_crashes_while_it_reads_is_no_refusal(tmp_path, monkeypatch):
    """On Gradescope a submission that is refused gets 0 points"""
    monkeypatch.setattr(staging, "find_package", lambda *_: os.kill(os.getpid(), signal.SIGTRAP))
    path = make_zip(tmp_path / "in.zip", {f"{PACKAGE}/strides.py": TEXT})
    with pytest.raises(GraderFault):
        run(path)
    assert not (tmp_path / "out").exists()
