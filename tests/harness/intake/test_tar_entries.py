"""Reading a tar ends, whatever its headers claim."""

import bz2
import gzip
import io
import subprocess
import sys
import tarfile
import tracemalloc

import pytest

from assignment.manifest import VERSION_FILE
from grader.intake import archives, entries
from grader.intake.entries import SubmissionError
from grader.intake.stage import select
from tests.harness.container import REPOSITORY
from tests.harness.intake.archives import (
    KINDS,
    MODULES,
    PACKAGE,
    TEXT,
    member,
    refused,
    run,
    staged_files,
    tar_bytes,
)

GOOD = tar_bytes([(member(f"{PACKAGE}/strides.py"), TEXT)])
START = GOOD[: 2 * tarfile.BLOCKSIZE]  # without the end


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress], ids=["gz", "bz2"])
def test_tar_that_unpacks_to_gigabytes_is_refused_early(tmp_path, monkeypatch, compress):
    monkeypatch.setattr(archives, "MAX_UNPACKED", 8 * 2**20)
    big = member(f"{PACKAGE}/zeros.py")
    big.size = 64 * 2**20
    data = big.tobuf() + bytes(big.size) + tar_bytes([(member(f"{PACKAGE}/strides.py"), TEXT)])
    (tmp_path / "in.tar").write_bytes(compress(data))
    with pytest.raises(SubmissionError, match="unpacks to more than 8 MiB"):
        run(tmp_path / "in.tar")


@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.GNUTYPE_LONGNAME])
def test_tar_header_of_megabytes_is_not_read(tmp_path, kind):
    header = member("././@LongLink", kind)
    header.size = 100 * 2**20
    (tmp_path / "in.tar").write_bytes(gzip.compress(header.tobuf() + bytes(100 * 2**20), 1))
    tracemalloc.start()
    try:
        with pytest.raises(SubmissionError, match="a header has more than 1 MiB, or claims to"):
            select(tmp_path / "in.tar", PACKAGE, MODULES)  # in this process
        assert tracemalloc.get_traced_memory()[1] < 32 * 2**20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("kind", ["tar", "tar.gz"])
@pytest.mark.parametrize("keep", ["half a header", "whole members", "a damaged header"])
def test_tar_without_its_end_is_refused(tmp_path, kind, keep):
    """tarfile stops at it without an error, so modules would be missing unnoticed"""
    data = tar_bytes([(member(f"{PACKAGE}/{name}.py"), TEXT) for name in MODULES])
    second = 2 * tarfile.BLOCKSIZE  # where the second member's header is
    cut = {
        "half a header": data[: second + 100],
        "whole members": data[:second],
        "a damaged header": data[:second] + b"x" * 512 + data[second + 512 :],
    }[keep]
    path = tmp_path / f"in.{kind}"
    path.write_bytes(gzip.compress(cut) if kind == "tar.gz" else cut)
    assert "is cut off or damaged: the tar's end is missing" in refused(path)


def test_chain_of_pax_headers_is_refused(tmp_path):
    """tarfile reads each one inside a call for the one before: a chain would exhaust the stack"""
    record = b"11 a=bcdef\n"
    header = member("x", tarfile.XHDTYPE)
    header.size = len(record)
    chain = (header.tobuf() + record.ljust(512, b"\0")) * 5000
    (tmp_path / "in.tar").write_bytes(chain + tar_bytes([(member("strides.py"), TEXT)]))
    refused(tmp_path / "in.tar")


def header(name, kind=tarfile.REGTYPE, size=0):
    info = member(name, kind)
    info.size = size
    return info.tobuf(tarfile.GNU_FORMAT)


def with_pax(records, kind=tarfile.XHDTYPE, name=".git/x"):
    """A member with these records in its extended header, or in the archive's global one."""
    info = member(name)
    body = tarfile.TarInfo._create_pax_generic_header(records, kind, "utf-8")
    return body + info.tobuf(tarfile.USTAR_FORMAT)


LEADING_BACK = {
    "to itself": header(".git/x", size=-512),
    "further back": header(".git/x", size=-2048),
    "in a folder": header("x", tarfile.DIRTYPE, size=-512),
    "far back": header("x", size=-(2**60)),
    "a long name": header("x", tarfile.GNUTYPE_LONGNAME, size=-512) + header("x"),
    "by an extended header": with_pax({"size": "-1536"}),
    "by a global header": with_pax({"size": "-1536"}, tarfile.XGLTYPE),
}


def padded(_info, size):
    return -(-size // tarfile.BLOCKSIZE) * tarfile.BLOCKSIZE


def padded_by_newer_pythons(info, size):
    if size < 0:
        raise tarfile.InvalidHeaderError("invalid offset")
    return padded(info, size)


@pytest.mark.parametrize("kind", LEADING_BACK)
@pytest.mark.parametrize("compress", [bytes, gzip.compress], ids=["tar", "gz"])
@pytest.mark.parametrize("block", [padded, padded_by_newer_pythons])
def test_header_that_leads_back_is_refused(tmp_path, monkeypatch, kind, compress, block):
    """tarfile would read the same headers again without end, or miss the members after it"""
    monkeypatch.setattr(tarfile.TarInfo, "_block", block)
    data = START + LEADING_BACK[kind] + bytes(1024)
    (tmp_path / "in.tar").write_bytes(compress(data))
    assert str(tmp_path / "in.tar") in refused(tmp_path / "in.tar")


def sparse_chain(blocks):
    """A sparse file of the GNU format whose map goes on in further blocks."""
    data = bytearray(header(".git/x", tarfile.GNUTYPE_SPARSE))
    data[482] = 1  # the map goes on
    data[148:156] = b" " * 8
    data[148:156] = b"%06o\0 " % sum(data)
    block = bytearray((b"%011o\0" % 1) * 42 + bytes(8))
    block[504] = 1
    return bytes(data) + bytes(block) * (blocks - 1) + bytes(512)


SPARSE = {
    "GNU": header(".git/x", tarfile.GNUTYPE_SPARSE),
    "GNU, chained": sparse_chain(1000),
    "POSIX 0.0": with_pax({"GNU.sparse.size": "9", "GNU.sparse.numblocks": "0"}),
    "POSIX 0.1": with_pax({"GNU.sparse.map": "0,1," * 1000 + "0"}),
    "POSIX 1.0": with_pax({"GNU.sparse.major": "1", "GNU.sparse.minor": "0"}),
    "global": with_pax({"GNU.sparse.map": "0,1"}, tarfile.XGLTYPE),
}


@pytest.mark.parametrize("kind", SPARSE)
def test_sparse_file_is_refused_before_its_map_is_read(tmp_path, kind):
    data = START + SPARSE[kind] + bytes(1024)
    (tmp_path / "in.tar").write_bytes(data)
    message = refused(tmp_path / "in.tar")
    assert message.endswith("x is a sparse file; pack it without --sparse")


MANY = {
    "folders": header("d", tarfile.DIRTYPE) * 101,
    "ignored": header(".git/x") * 101,
    "links": header("x", tarfile.SYMTYPE) * 101,
    "of an unknown kind": header("x", b"Z") * 101,
    "long names": (header("x", tarfile.GNUTYPE_LONGNAME) + header(".git/x")) * 51,
    "extended": with_pax({"a": "b"}) * 51,
    "global": with_pax({"a": "b"}, tarfile.XGLTYPE) * 51,
}


@pytest.mark.parametrize("kind", MANY)
def test_every_header_counts(tmp_path, monkeypatch, kind):
    monkeypatch.setattr(entries, "MAX_LISTED", 100)
    (tmp_path / "in.tar").write_bytes(START + MANY[kind] + bytes(1024))
    words = "lists more than 100 files and folders; hand in the package alone"
    assert words in refused(tmp_path / "in.tar")


@pytest.mark.parametrize(
    "format",
    [tarfile.GNU_FORMAT, tarfile.PAX_FORMAT, tarfile.USTAR_FORMAT],
    ids=["GNU", "PAX", "US"],
)
@pytest.mark.parametrize("kind", ["tar", "tar.gz", "tar.bz2", "tar.xz"])
def test_tar_as_people_pack_it_is_read(tmp_path, format, kind):
    """Folders, long names, owners beyond ASCII, times with fractions, files of other kinds"""
    long = "a_long_name_of_a_folder_" * 3
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode=f"w:{kind[4:]}", format=format) as archive:
        for name in ("hw", f"hw/{PACKAGE}", "hw/.git", f"hw/{long}"):
            archive.addfile(member(name, tarfile.DIRTYPE))
        archive.addfile(member("hw/latest", tarfile.SYMTYPE, f"{PACKAGE}/strides.py"))
        for name in (f"{long}/{long[:60]}.txt", ".git/HEAD", f"{PACKAGE}/flops.py"):
            info = member(f"hw/{name}")
            info.uname, info.size = "Zoë", len(TEXT)
            info.mtime = 1.5 if format == tarfile.PAX_FORMAT else 1
            archive.addfile(info, io.BytesIO(TEXT))
    (tmp_path / "in").write_bytes(data.getvalue())
    staged = run(tmp_path / "in")
    assert staged_files(staged) == {f"{PACKAGE}/__init__.py", f"{PACKAGE}/flops.py"}


def test_members_are_read_in_any_order(tmp_path):
    """Only listing moves forward alone: the handout's version is read first, wherever it is"""
    path = tmp_path / "in.tar.gz"
    KINDS["tar.gz"](path, {f"{PACKAGE}/strides.py": TEXT, VERSION_FILE: b"1.2\n"})
    staged = run(path)
    assert staged_files(staged) == {f"{PACKAGE}/__init__.py", f"{PACKAGE}/strides.py"}
    assert staged.handout == "1.2"


def test_names_of_megabytes_are_refused_for_their_memory(tmp_path):
    """An extended header may have 1 MiB, and there may be thousands of them.

    In a process of its own: the limit counts what the fork takes from the kernel, and earlier tests
    of this process may have left much that it could take instead.
    """
    long = {"path": "x" * 1_000_000}
    members = [(member(f"{i}"), b"") for i in range(200)]
    for info, _ in members:
        info.pax_headers = long
    data = tar_bytes(members, format=tarfile.PAX_FORMAT)
    (tmp_path / "in.tgz").write_bytes(gzip.compress(data, 1))
    run = [sys.executable, "-c", READS_IN_64_MIB, tmp_path / "in.tgz"]
    done = subprocess.run(run, cwd=REPOSITORY, capture_output=True, text=True, check=True)
    assert "takes more than 64 MiB of memory to read" in done.stdout


READS_IN_64_MIB = """
import sys
from dataclasses import replace
from pathlib import Path

from grader.intake import stage
from tests.harness.intake.archives import refused

stage.LIMITS = replace(stage.LIMITS, memory=2**26)
print(refused(Path(sys.argv[1])))
"""


def test_listing_only_moves_forward_even_without_a_negative_size(tmp_path, monkeypatch):
    monkeypatch.setattr(archives._Header, "_refuse_negative", lambda *_: None)
    monkeypatch.setattr(tarfile.TarInfo, "_block", padded)
    (tmp_path / "in.tar").write_bytes(START + LEADING_BACK["to itself"] + bytes(1024))
    assert "leads back to an earlier one" in refused(tmp_path / "in.tar")
