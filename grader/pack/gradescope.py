"""The zip for Gradescope: `setup.sh`, `run_autograder` and the grader."""

from __future__ import annotations

import io
import shlex
import zipfile
from pathlib import Path

import msgspec

from grader.pack.files import PYTHON, PackError, contents, template
from grader.paths import REPOSITORY
from grader.results.course import Settings

_TIME = (1980, 1, 1, 0, 0, 0)  # the earliest time that a zip can hold
_PLAIN, _EXECUTABLE = 0o100644, 0o100755
_NOTHING_SET = Settings()


def pack(
    minutes: int = 10,
    extra_index: str = "",
    root: Path = REPOSITORY,
    settings: Settings = _NOTHING_SET,
) -> bytes:
    """The bytes of the zip: on every machine the same for the same files.

    `minutes` is the assignment's time limit on Gradescope, `extra_index` the address of an extra
    package index for pip. The zip has a settings.json only if `settings` sets something.

    Raises:
        PackError: a file is missing, the index is not a web address, a leaderboard would show
            points that are hidden, or the late policy has extensions, which Gradescope gives.
    """
    if extra_index and not extra_index.startswith(("https://", "http://")):
        raise PackError(
            f"--extra-index: expected an address that begins with https://, got {extra_index!r}"
        )
    if settings.leaderboard and settings.visibility != "visible":
        raise PackError(
            f"--leaderboard: all students see its points, which --visibility {settings.visibility} "
            "hides; leave one of them out"
        )
    if settings.late is not None and settings.late.extensions:
        raise PackError(
            "--late: expected a file without [extensions], which hold the ids of a class, got one "
            "with; remove them there and give them on Gradescope"
        )
    scripts = {
        "setup.sh": template("setup.sh", python=PYTHON, extra_index=shlex.quote(extra_index)),
        "run_autograder": template("run_autograder", limit=str(60 * minutes)),
    }
    files = contents(root) | scripts
    if settings != _NOTHING_SET:
        files["settings.json"] = msgspec.json.encode(settings)
    buffer = io.BytesIO()
    # Not compressed: versions of zlib differ in their output, and there is little to save.
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name, content in sorted(files.items()):
            entry = zipfile.ZipInfo(name, _TIME)
            entry.create_system = 3  # Unix, which the file modes need
            entry.external_attr = (_EXECUTABLE if name in scripts else _PLAIN) << 16
            archive.writestr(entry, content)
    return buffer.getvalue()
