"""The zip for Gradescope: `setup.sh`, `run_autograder` and the grader."""

from __future__ import annotations

import io
import shlex
import zipfile
from pathlib import Path

from grader.pack.files import PYTHON, PackError, contents, template
from grader.paths import REPOSITORY

_TIME = (1980, 1, 1, 0, 0, 0)  # the earliest time that a zip can hold
_PLAIN, _EXECUTABLE = 0o100644, 0o100755


def pack(minutes: int = 10, extra_index: str = "", root: Path = REPOSITORY) -> bytes:
    """The bytes of the zip: on every machine the same for the same files.

    Args:
        minutes: the assignment's time limit on Gradescope.
        extra_index: the address of an extra package index for pip; "" for none.
        root: the checkout.

    Raises:
        PackError: a file is missing, or the index is not a web address.
    """
    if extra_index and not extra_index.startswith(("https://", "http://")):
        raise PackError(
            f"--extra-index: expected an address that begins with https://, got {extra_index!r}"
        )
    scripts = {
        "setup.sh": template("setup.sh", python=PYTHON, extra_index=shlex.quote(extra_index)),
        "run_autograder": template("run_autograder", limit=str(60 * minutes)),
    }
    files = contents(root) | scripts
    buffer = io.BytesIO()
    # Not compressed: versions of zlib differ in their output, and there is little to save.
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name, content in sorted(files.items()):
            entry = zipfile.ZipInfo(name, _TIME)
            entry.create_system = 3  # Unix, which the file modes need
            entry.external_attr = (_EXECUTABLE if name in scripts else _PLAIN) << 16
            archive.writestr(entry, content)
    return buffer.getvalue()
