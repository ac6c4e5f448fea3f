"""`make site`: the text's figures drawn with your own functions, beside the text's, on one page.

A figure whose functions are not written yet, raise, or run too long has a line that says so.
"""

from __future__ import annotations

import html
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from string import Template

from rich.console import Console

from assignment import figures, manifest
from assignment.calls.implementation import Package
from assignment.calls.journal import Journal
from assignment.student import problems
from assignment.student.deadline import Deadline, TookTooLong
from assignment.student.verbs import command

WRITEUP = Path(__file__).parents[1] / "writeup"
_ROOT = WRITEUP.parents[1]
_IMAGE = re.compile(r"!\[([^\]]*)\]\(figures/(\w+)\.svg\)")


@dataclass(frozen=True)
class OwnFigure:
    """A student's figure: `svg` is empty if it could not be drawn, and `problem` says why."""

    name: str
    chapter: str
    caption: str
    svg: bytes
    problem: str

    @property
    def verdict(self) -> str:
        """One line about how it compares with the text's figure, or why it is missing."""
        other = "not like the text's, or drawn by another matplotlib: compare them"
        return self.problem or ("like the text's" if self.kind == "same" else other)

    @property
    def kind(self) -> str:
        """`same` as the text's, `other`, or `none`."""
        if self.problem:
            return "none"
        text = (WRITEUP / "figures" / f"{self.name}.svg").read_bytes().replace(b"\r\n", b"\n")
        return "same" if self.svg == text else "other"


def build(package: str, destination: Path, console: Console) -> Path:
    """Draws every figure with a package's functions; returns the page, in a folder made anew."""
    if destination.is_dir():
        shutil.rmtree(destination)
    for folder in ("yours", "text"):
        (destination / folder).mkdir(parents=True)
    drawn, seconds = [], manifest.load().limits.seconds
    for chapter, name, caption in captions():
        own = draw(package, chapter, name, caption, seconds)
        drawn.append(own)
        console.print(f"  {name:<18}{own.verdict}", markup=False)
        shutil.copy(WRITEUP / "figures" / f"{name}.svg", destination / "text")
        if own.svg:
            (destination / "yours" / f"{name}.svg").write_bytes(own.svg)
    page = destination / "index.html"
    template = Template(Path(__file__).with_suffix(".html").read_text(encoding="utf-8"))
    text = template.substitute(
        done=sum(bool(own.svg) for own in drawn),
        all=len(drawn),
        command=html.escape(command("site")),
        sections="\n".join(map(_section, drawn)),
    )
    page.write_text(text, encoding="utf-8")
    return page


def captions() -> Iterator[tuple[str, str, str]]:
    """Chapter, name and caption of each figure that students can draw, in the text's order."""
    for chapter in dict.fromkeys(exercise.chapter for exercise in manifest.load()):
        text = (WRITEUP / f"{chapter}.md").read_text(encoding="utf-8")
        for caption, name in _IMAGE.findall(text):
            if name in figures.FIGURES:
                yield chapter, name, " ".join(caption.replace("`", "").split())


def draw(package: str, chapter: str, name: str, caption: str, seconds: float) -> OwnFigure:
    """One figure, drawn with a package's functions in at most this time."""
    journal = Journal()
    theirs = journal.noting(Package(package))
    folder = _ROOT / package.replace(".", "/")
    deadline = Deadline(seconds, str(folder))
    try:
        deadline.start()
        try:
            svg = figures.draw(name, theirs)
        finally:
            deadline.stop()
    except TookTooLong as error:
        problem = f"runs for more than {seconds:g} seconds{problems.place(error, folder)}"
    except (Exception, SystemExit) as error:
        problem = problems.describe(error, folder, "cannot be drawn", journal)
    else:
        return OwnFigure(name, chapter, caption, svg, "")
    return OwnFigure(name, chapter, caption, b"", problem)


def _section(own: OwnFigure) -> str:
    """HTML: caption, verdict, and the student's figure (or "–") beside the text's."""
    caption, verdict = html.escape(own.caption), html.escape(own.verdict)
    image = f'<img src="yours/{own.name}.svg" alt="The figure, drawn with your functions">'
    return f"""<section id="{own.name}">
<h2>{own.name} <small>{html.escape(own.chapter)}</small></h2>
<p>{caption}</p>
<p class="{own.kind}">{verdict}</p>
<div>
<figure><figcaption>yours</figcaption>{image if own.svg else "–"}</figure>
<figure><figcaption>the text’s</figcaption><img src="text/{own.name}.svg" alt="{caption}"></figure>
</div>
</section>"""
