"""The pictures in README.md: a report, and `make grade` in a terminal.

Both show one grading of some chapters of the half-finished sample, with a fixed nonce.
"""

from __future__ import annotations

import io
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from rich.console import Console

from assignment import manifest as manifests
from grader.judge.grader import Grader
from grader.paths import REPOSITORY
from grader.results import console
from grader.results.html import to_html

FOLDER = REPOSITORY / "grader" / "authoring" / "pictures"
SAMPLE = REPOSITORY / "tests" / "submissions" / "half_finished"
_CHAPTERS = ("dtypes", "strides")
_NONCE = "0" * 32
_COLUMNS = 88  # of the terminal
_SIZE = "1000,1030"  # of the browser's window, in pixels
_BROWSERS = ("chromium", "chromium-browser", "google-chrome")


class PictureError(Exception):
    """A picture cannot be made; the message says what to install."""


def build() -> None:
    """Writes terminal.svg and report.png.

    Raises:
        PictureError: there is no browser.
    """
    browser = next(filter(None, map(shutil.which, _BROWSERS)), None)
    if browser is None:
        raise PictureError(f"the picture of the report needs one of {', '.join(_BROWSERS)}")
    manifest = manifests.load().for_any_machine
    only = [exercise.id for exercise in manifest if exercise.chapter in _CHAPTERS]
    with Grader(manifest=manifest) as grader:
        grade = grader.grade(SAMPLE, only=only, nonce=_NONCE, timing="skip")
    FOLDER.mkdir(exist_ok=True)
    terminal = Console(
        record=True, width=_COLUMNS, file=io.StringIO(), force_terminal=True, highlight=False
    )
    terminal.print(console.summary(grade))
    svg = terminal.export_svg(title="make grade")
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.S)  # it would fetch fonts
    (FOLDER / "terminal.svg").write_text(svg, encoding="utf-8")
    with tempfile.TemporaryDirectory() as text:
        page = Path(text) / "report.html"
        page.write_text(to_html(grade), encoding="utf-8")
        shot = [f"--screenshot={FOLDER / 'report.png'}", f"--window-size={_SIZE}"]
        options = ["--headless", "--no-sandbox", "--hide-scrollbars", f"--user-data-dir={text}"]
        subprocess.run([browser, *options, *shot, page.as_uri()], check=True, capture_output=True)
