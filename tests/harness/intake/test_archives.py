"""An archive is recognized by its content; what cannot be read is refused."""

import gzip
import os
import zipfile

import pytest

from grader.intake import archives, entries
from grader.intake.entries import SubmissionError
from grader.intake.stage import select
from tests.harness.intake.archives import (
    KINDS,
    MODULES,
    PACKAGE,
    TEXT,
    make_zip,
    mark_member,
    refused,
    run,
    staged_files,
    write_tar,
)


def test_kind_of_archive_follows_from_content_not_name(tmp_path):
    files = {"strides.py": TEXT}
    assert staged_files(run(make_zip(tmp_path / "x.tar.gz", files), tmp_path / "1"))
    assert staged_files(run(write_tar("w:gz")(tmp_path / "x.zip", files), tmp_path / "2"))


UNREADABLE = {
    "encrypted": ({"flags": 1}, "is encrypted; zip the package without a password"),
    "AES": ({"flags": 1, "method": 99}, "is encrypted"),
    "Deflate64": ({"method": 9}, "is compressed with Deflate64; zip the package with the usual"),
    "bzip2": ({"method": 12}, "is compressed with bzip2; zip the package with the usual method"),
    "LZMA": ({"method": 14}, "is compressed with LZMA"),
    "Zstandard": ({"method": 93}, "is compressed with Zstandard"),
    "another": ({"method": 77}, "is compressed with method 77"),
}


@pytest.mark.parametrize("kind", UNREADABLE)
def test_zip_with_an_unreadable_module_is_refused(tmp_path, kind):
    """If it were left out, the student would seem never to have written it"""
    how, words = UNREADABLE[kind]
    path = make_zip(tmp_path / "in.zip", {f"{PACKAGE}/strides.py": TEXT})
    mark_member(path, f"{PACKAGE}/flops.py", **how)
    assert f"{path}: {PACKAGE}/flops.py {words}" in refused(path)


@pytest.mark.parametrize("kind", UNREADABLE)
def test_files_that_are_not_graded_may_be_unreadable(tmp_path, kind):
    path = make_zip(tmp_path / "in.zip", {f"{PACKAGE}/strides.py": TEXT})
    for name in (f"{PACKAGE}/notes.txt", f"{PACKAGE}/test_strides.py", "backup/flops.py"):
        mark_member(path, name, **UNREADABLE[kind][0])
    assert staged_files(run(path)) == {f"{PACKAGE}/{name}.py" for name in ("__init__", "strides")}


def test_package_with_only_encrypted_modules_is_refused_with_the_reason(tmp_path):
    path = make_zip(tmp_path / "in.zip", {})
    mark_member(path, f"hw/{PACKAGE}/flops.py", flags=1)
    assert f"hw/{PACKAGE}/flops.py is encrypted" in refused(path)


def test_zip_that_lies_about_a_size_is_refused_or_cut(tmp_path):
    data = make_zip(tmp_path / "in.zip", {f"{PACKAGE}/strides.py": b"#" * 4_000_000}).read_bytes()
    true, lie = (size.to_bytes(4, "little") for size in (4_000_000, 10))
    assert data.count(true) >= 2
    (tmp_path / "in.zip").write_bytes(data.replace(true, lie))
    try:
        staged = run(tmp_path / "in.zip")
    except SubmissionError:
        return
    assert all((staged.folder / f).stat().st_size <= 10 for f in staged_files(staged))


def test_archive_over_the_size_limit_is_refused_unread(tmp_path):
    path = tmp_path / "in.zip"
    with path.open("wb") as file:
        file.truncate(archives.MAX_ARCHIVE + 1)
    with pytest.raises(SubmissionError, match="larger than 20 MiB"):
        run(path)


def test_zip_members_that_share_their_bytes_are_refused(tmp_path):
    """Here 5000 names for one compressed member; a name must match the header at its offset"""
    files = {f"{PACKAGE}/m0.py": b"#" * entries.MAX_BYTES, f"{PACKAGE}/strides.py": TEXT}
    path = make_zip(tmp_path / "in.zip", files)
    with zipfile.ZipFile(path, "a") as archive:
        first = archive.infolist()[0]
        for i in range(5000):
            copy = zipfile.ZipInfo(first.filename.replace("m0", f"x{i:04}"))
            for name in ("header_offset", "compress_size", "file_size", "CRC", "compress_type"):
                setattr(copy, name, getattr(first, name))
            archive.filelist.append(copy)
        archive._didModify = True
    with pytest.raises(SubmissionError, match="is damaged: File name in directory"):
        run(path)


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("strides.py", TEXT, "is a single Python file"),
        ("hw.rar", b"Rar!\x1a\x07\x01\0rest", "is a RAR archive"),
        ("hw.rar", b"Rar!\x1a\x07\0rest", "is a RAR archive"),
        ("hw.7z", b"7z\xbc\xaf\x27\x1c\0\4", "is a 7z archive"),
        ("hw.zip", b"7z\xbc\xaf\x27\x1c\0\4", "is a 7z archive"),
        ("hw.tar.zst", b"\x28\xb5\x2f\xfd\0\0", "is compressed with Zstandard"),
        ("hw.zip", b"%PDF-1.7\n%", "is a PDF"),
        ("hw.zip", b"\n<!DOCTYPE html>\n<html>", "is an HTML page"),
        ("hw.ipynb", b'{"cells": []}', "is a notebook"),
        ("strides.py.gz", gzip.compress(TEXT, mtime=0), "is one compressed file, and no tar"),
        ("essay.txt", TEXT, "is neither a folder nor a readable zip or tar"),
    ],
)
def test_refusal_of_another_format_names_the_accepted_ones(tmp_path, name, data, words):
    (tmp_path / name).write_bytes(data)
    message = refused(tmp_path / name)
    assert f"{tmp_path / name} {words}" in message
    assert message.endswith(
        f"; hand in a folder, zip or tar (.gz, .bz2 or .xz) that holds {PACKAGE}/; "
        "`make submit` packs one"
    )


ODD_NAMES = [
    "\nUsage: grader grade",
    "\r\nUsage",
    "\x1b[2J\x1b[31mUsage",
    "\x1b]0;Usage\x07",
    "\x9b2J\x9d0;Usage\x9c",
    "\u202eegasU",
    "x" * 110 + " Usage: y",
    "\u2028Usage",
]


@pytest.mark.parametrize("name", ODD_NAMES)
def test_message_is_one_printable_line_whatever_the_files_are_called(tmp_path, name):
    """Callers of the grader may search its output for lines that start with a word"""
    encrypted = make_zip(tmp_path / "in.zip", {})
    mark_member(encrypted, f"{name}/{PACKAGE}/flops.py", flags=1)
    deep = make_zip(tmp_path / "deep.zip", {f"{name}/{name}/flops.py": TEXT})
    tie = {f"{name}/{PACKAGE}/flops.py": TEXT, f"2{name}/{PACKAGE}/flops.py": b""}
    other = make_zip(tmp_path / "other.zip", {name: TEXT, f"{name}.rar": TEXT})
    for path in (encrypted, deep, make_zip(tmp_path / "tie.zip", tie), other):
        with pytest.raises(SubmissionError) as caught:
            select(path, PACKAGE, MODULES)
        assert str(caught.value).isprintable()
        assert str(caught.value).startswith(str(tmp_path))
    message = refused(tmp_path / name)
    assert message.isprintable()
    assert message.startswith(str(tmp_path))


def test_message_names_the_start_of_an_endless_name(tmp_path):
    """and still says what to do"""
    deep = make_zip(tmp_path / "in.zip", {f"{'x' * 30_000}/y/flops.py": TEXT})
    message = refused(deep)
    assert len(message) < 1000
    assert message.endswith(f"hand in that folder alone, or name it {PACKAGE}/")


@pytest.mark.parametrize("name", ["d/", ".git/x", "x"])
def test_every_entry_of_a_zip_counts_before_zipfile_reads_them(tmp_path, monkeypatch, name):
    monkeypatch.setattr(entries, "MAX_LISTED", 100)
    files = {f"{PACKAGE}/strides.py": TEXT} | {f"{i}{name}": b"" for i in range(100)}
    path = make_zip(tmp_path / "in.zip", files)
    monkeypatch.delattr(zipfile, "ZipFile")
    with pytest.raises(SubmissionError, match="lists more than 100 files and folders"):
        select(path, PACKAGE, MODULES)


def test_zip64_is_read(tmp_path):
    path = tmp_path / "in.zip"
    name = f"{PACKAGE}/strides.py"
    with zipfile.ZipFile(path, "w") as archive, archive.open(name, "w", force_zip64=True) as file:
        file.write(TEXT)
    assert staged_files(run(path))


@pytest.mark.parametrize("kind", ["zip", "tar", "tar.gz", "tar.bz2", "tar.xz"])
def test_damaged_archive_is_refused_or_read_and_never_crashes(tmp_path, kind):
    files = {f"{PACKAGE}/{name}.py": os.urandom(3000) for name in MODULES}
    whole = KINDS[kind](tmp_path / "whole", files).read_bytes()
    refusals = 0
    for i in range(12):
        data, at = bytearray(whole), len(whole) * i // 12
        if i % 2:
            del data[at:]
        else:
            data[at : at + 16] = os.urandom(16)
        path, out = tmp_path / f"{i}", tmp_path / f"out{i}"
        path.write_bytes(data)
        try:
            run(path, out)
        except SubmissionError as error:
            refusals += str(path) in str(error)
    assert refusals > 2
