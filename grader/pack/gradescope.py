"""The zip for Gradescope: `setup.sh` and `run_autograder` at its root, beside the grader."""

from __future__ import annotations

import io
import shlex
import zipfile
from pathlib import Path

from grader.pack.files import PYTHON, PackError, contents, template
from grader.paths import REPOSITORY

_TIME = (1980, 1, 1, 0, 0, 0)  # the earliest that a zip can say
_PLAIN, _EXECUTABLE = 0o100644, 0o100755


def pack(minutes: int = 10, extra_index: str = "", root: Path = REPOSITORY) -> bytes:
    """The zip: the same bytes from the same files, on every machine.

    Args:
        minutes: the assignment's time limit on Gradescope.
        extra_index: where pip looks besides its usual registry.
        root: the checkout.

    Raises:
        PackError: something is missing, or the index is no address.
    """
    if extra_index and not extra_index.startswith(("https://", "http://")):
        raise PackError(f"expected an address that begins with https://, got {extra_index!r}")
    scripts = {
        "setup.sh": template("setup.sh", python=PYTHON, extra_index=shlex.quote(extra_index)),
        "run_autograder": template("run_autograder", limit=str(60 * minutes)),
    }
    files = contents(root) | scripts
    buffer = io.BytesIO()
    # Stored: another zlib would compress to other bytes, and there is little to save.
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name, content in sorted(files.items()):
            entry = zipfile.ZipInfo(name, _TIME)
            entry.create_system = 3  # Unix: what holds the modes
            entry.external_attr = (_EXECUTABLE if name in scripts else _PLAIN) << 16
            archive.writestr(entry, content)
    return buffer.getvalue()
