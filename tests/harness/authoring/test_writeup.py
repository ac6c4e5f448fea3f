"""The write-up: it agrees with the manifest, nothing in it is broken, every number stands in it."""

import re
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

from assignment import manifest
from grader.authoring import figures, site
from grader.authoring.site import pages, pandoc, pdf, text
from tests.harness.assignment.messages.mistakes import with_digits_of
from tests.harness.conftest import REPOSITORY

MANIFEST = manifest.load()
CHAPTERS = tuple(name for name in text.names() if name != text.INTRODUCTION)


def markdown(chapter: str) -> str:
    path = site.WRITEUP / f"{chapter}.md"
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def sections(chapter: str) -> dict[str, str]:
    """The exercises' sections of a chapter: heading and text."""
    parts = re.split(r"^(## .*)$", markdown(chapter), flags=re.M)
    headings = zip(parts[1::2], parts[2::2], strict=True)
    return {h: body for h, body in headings if h.startswith("## Exercise")}


# The chapters and the manifest


@pytest.mark.parametrize("exercise", MANIFEST.exercise, ids=lambda exercise: exercise.id)
def test_exercise_has_its_section(exercise):
    heading = f"## Exercise `{exercise.id}` ({exercise.worth})"
    found = sections(exercise.chapter)
    assert heading in found, f"{exercise.chapter}.md lacks the heading {heading}"
    body = found[heading]
    assert f"- Command: `make test EX={exercise.id}`" in body
    deliverable = re.search(r"^- Deliverable: (.*(?:\n  .*)*)", body, re.M)
    assert deliverable, f"{exercise.chapter}.md: {exercise.id} has no line `- Deliverable: …`"
    for function in exercise.functions:
        module, _, name = function.partition(".")
        assert f"`resource_accounting/{module}.py`" in deliverable[1]
        assert re.search(rf"\b{name}\b", body), f"{exercise.id} does not name {name}"


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_chapter_has_the_manifests_exercises_in_their_order(chapter):
    ids = [re.search(r"`(\w+)`", heading)[1] for heading in sections(chapter)]
    assert ids == [exercise.id for exercise in MANIFEST if exercise.chapter == chapter]


def test_introduction_lists_every_chapter_in_order():
    rows = re.findall(r"^\| (\d+) \| \[(\w+)\]\((\w+)\.md\)", markdown(text.INTRODUCTION), re.M)
    assert rows == [(str(n), name, name) for n, name in enumerate(CHAPTERS, 1)]
    total = sum(exercise.points for exercise in MANIFEST if exercise.core)
    assert f"{total:g} points" in markdown(text.INTRODUCTION)


def test_no_file_of_the_text_is_forgotten():
    assert {path.stem for path in site.WRITEUP.glob("*.md")} == {*CHAPTERS, text.INTRODUCTION}


# What cannot be shown is refused


ANSWER = "<details><summary>Answer</summary>\n\n12\n\n</details>"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("It costs $x^2 and more.", "'$x^2'"),
        ("It costs $\\frac{1}{2$ and more.", "'$\\\\frac{1}{2$'"),
        ("It costs $\\nonsense{1}$ and more.", "dtypes.md: pandoc"),
        ("See [there](nowhere.md).", "links to nowhere.md, which is no chapter"),
        ("See [there](flops.md#none).", "links to flops.md#none, but that chapter has no such"),
        ("See [there](#none).", "links to #none, but"),
        ("![A figure](figures/none.svg)", "shows figures/none.svg, which is no file"),
        ("Not <b>raw</b>.", "has raw html"),
        (ANSWER, "expected **Problem 1.** directly above its answer"),
        (f"**Problem 2.** What?\n\n{ANSWER}", "expected **Problem 1.** directly above"),
        (f"**Problem 1.** What?\n\nWords.\n\n{ANSWER}", "expected **Problem 1.** directly above"),
        (f"**Problem 1.** What?\n\n{ANSWER[:-10]}", "answer 1 has no line </details>"),
        ("**Problem 1.** What?\n\n<details>\n\n12\n\n</details>", "has raw html"),
        ("**Problem 1.** What?\n\n12\n\n</details>", "has raw html"),
        ("# Another title", "expected one title, got a second: 'Another title'"),
    ],
)
def test_what_cannot_be_shown_is_refused(folder, line, message):
    with (folder / "dtypes.md").open("a") as file:
        file.write(f"\n{line}\n")
    with pytest.raises(site.WriteupError) as refusal:
        pages.write(text.read(folder), folder / "site")
    assert message in str(refusal.value)
    assert "dtypes.md" in str(refusal.value)


def test_no_line_ends_between_a_number_and_its_unit(folder):
    (folder / "dtypes.md").write_text("# Bytes\n\nOf 80 GB,\n12 heads take 1,024\nB.\n")
    chapter = text.read(folder).chapters[1]
    words = [node["c"] for node in pandoc.nodes(chapter.blocks, "Str")]
    assert words == ["Of", "80\u00a0GB,", "12", "heads", "take", "1,024\u00a0B."]


def test_missing_title_and_missing_chapters_are_named(folder):
    (folder / "flops.md").write_text("Words.\n")
    with pytest.raises(site.WriteupError, match=r"flops\.md: expected its title"):
        text.read(folder)
    (folder / "flops.md").unlink()
    (folder / "data.md").unlink()
    with pytest.raises(site.WriteupError, match=r"flops\.md is missing\n.*data\.md is missing"):
        text.read(folder)


@pytest.mark.parametrize(("package", "step"), [("pypandoc", text.read), ("typst", site.build)])
def test_missing_package_is_named(folder, monkeypatch, package, step):
    monkeypatch.setitem(sys.modules, package, None)
    arguments = (folder,) if step is text.read else (folder / "build", folder)
    with pytest.raises(site.WriteupError, match=rf"{package} is not installed; `make \.venv/docs`"):
        step(*arguments)


# The site and the PDF


class Page(HTMLParser):
    """The ids of a page, where its links lead, and what it loads."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.loads: list[str] = []
        self.tags: set[str] = set()
        self.inline = ""
        self.feed(path.read_text(encoding="utf-8"))

    def handle_data(self, data):
        if self.cdata_elem == "script":
            self.inline += data

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        for name, value in attrs:
            if name == "id":
                self.ids.append(value)
            elif tag == "a" and name == "href":
                self.links.append(value)
            elif name in ("src", "href", "srcset", "data", "poster", "action"):
                self.loads.append(value)
            assert not (name == "style" and "url(" in value)
            assert not name.startswith("on")


def test_site_has_a_page_for_each_chapter_and_loads_nothing_from_elsewhere(built):
    names = {path.stem for path in built.glob("*.html")}
    assert names == {*text.names(), pages.EXERCISES}
    assert not re.search(r"url\(|@import", (built / "style.css").read_text(encoding="utf-8"))
    loaders = r"fetch\(|XMLHttp|import|http|eval|Function\(|innerHTML|setTimeout"
    for path in built.glob("*.js"):
        if path.name != "index.js":  # holds the chapters' text
            assert not re.search(loaders, path.read_text(encoding="utf-8")), path.name
    for path in built.glob("*.html"):
        page = Page(path)
        assert not page.tags & {"iframe", "object", "embed", "base", "form"}
        assert not page.inline, f"{path.name} has a script in it"
        assert "math" not in page.tags or "semantics" in page.tags
        for target in page.loads:
            assert re.fullmatch(
                r"style\.css|(index|search|computed|formulas)\.js|figures/\w+\.svg", target
            ), f"{path.name}: {target}"
            assert (built / target).is_file()


def test_every_link_of_the_site_leads_somewhere(built):
    seen = {path.name: Page(path) for path in built.glob("*.html")}
    for name, page in seen.items():
        assert len(page.ids) == len(set(page.ids)), f"{name} has an id twice"
        for target in page.links:
            if target.startswith("http"):
                continue
            file, _, anchor = target.partition("#")
            assert (file or name) in seen, f"{name} links to {target}"
            assert not anchor or anchor in seen[file or name].ids, f"{name} links to {target}"


def test_site_lists_every_exercise_with_its_points(built):
    listed = (built / "exercises.html").read_text(encoding="utf-8")
    for exercise in MANIFEST:
        row = rf'href="{exercise.chapter}\.html#[^"]*">.*EX={exercise.id}<.*>{exercise.worth}<'
        assert re.search(row, listed)


def test_pdf_has_the_same_bytes_each_time(folder):
    """`make site` builds that of the whole text"""
    for name in ("book.pdf", "again.pdf"):
        pdf.write(text.read(folder), folder / name)
    content = (folder / "book.pdf").read_bytes()
    assert content.startswith(b"%PDF")
    assert content == (folder / "again.pdf").read_bytes()


def test_contents_of_the_pdf_are_those_of_the_chapters(book):
    source = pdf.source(book)
    for exercise in MANIFEST:
        assert f'"{exercise.title}", "{exercise.id}", "{exercise.worth}"' in source


# The figures


@pytest.mark.parametrize("name", tuple(figures.FIGURES))
def test_figure_is_what_the_code_draws(name):
    file = figures.FOLDER / f"{name}.svg"
    assert file.is_file(), "run `grader author site --figures` and commit"
    if not figures.matches_pin():
        pytest.skip("another matplotlib than the one that drew the committed files")
    committed = file.read_text(encoding="utf-8")
    drawn = with_digits_of(committed, figures.draw(name).decode())
    assert drawn == committed, "run `grader author site --figures` and commit"


def test_every_figure_is_shown_by_one_chapter_and_drawn_by_code():
    shown = [
        name
        for chapter in text.names()
        for name in re.findall(r"\]\(figures/(\w+)\.svg\)", markdown(chapter))
    ]
    assert sorted(shown) == sorted(figures.FIGURES)
    assert {path.name for path in figures.FOLDER.iterdir()} == {f"{n}.svg" for n in shown}


# The numbers

FACTS = [
    # What, and patterns that the text or a public or hidden test must have, see `corpus`. Others
    # are in `tests/text/numbers_in_text.py`, and those of accelerators in `test_hardware.py`.
    ("6ND for 70B parameters and 15T tokens", r"6\.3e24"),
    ("its days on 1024 H100 at MFU 0.5", r"4\.377e22", r"143\.9[23]"),
    ("bytes per parameter", r"4 \+ 4 \+ \(?(4 \+ 4|8)\)?", r"2 \+ 2 \+ \(?(4 \+ 4|8)\)?"),
    ("bytes per parameter with a master copy", r"2 \+ 2 \+ 4 \+ \(?(4 \+ 4|8)\)?"),
    ("70B in the 12-byte recipe", r"\b140(e9| GB)", r"\b560(e9| GB)"),
    ("a 4×8 in fp32", r"(?s)4(×|, ?|\\times )8.{0,80}\b128\b"),
    ("GPT-3's feed-forward matrix", r"49152", r"12288", r"2304 MiB", r"2\.25 GiB", r"2\.416"),
    ("bits of 0.15625", r"01111100", r"0\.15625"),
    ("1e-8 in fp16 and bf16", r"1e-8 is 0 in float16 and not in bfloat16"),
    ("range of fp16", r"\b65504\b", r"2\^-10"),
    ("range of bf16", r"3\.3895e38", r"2\^-7"),
    ("range of fp32", r"3\.4028e38", r"2\^-23"),
    ("range of fp8", r"\b448\b", r"\b57344\b"),
    ("values of E2M1", r"0\.5, 1(\.0)?, 1\.5, 2(\.0)?, 3(\.0)?, 4(\.0)?,? (and )?6"),
    ("bits of NVFP4", r"NVFP4.{0,120}\b16\b.{0,80}\b4\.5\b"),
    ("strides of a 4×4", r"\(4, 1\)", r"\(1, 2\).{0,60}\b6\b"),
    ("a view that does not exist", r"size is not compatible with input tensor's size and stride"),
    ("FLOPs of matrix products", r"8\.796e12|8796093022208", r"33554432"),
    ("FLOPs of two layers", r"167772160", r"335544320", r"201326592"),
    ("a gradient by hand", r"(0\.5|½|frac\{?1\}?\{?2\}?).{0,60}5\)", r"1(\.0)?, 2(\.0)?, 3(\.0)?"),
    ("training of GPT-3 and GPT-4", r"3\.14e23", r"2e25"),
    ("intensities of elementwise operations", r"\b0\.25\b", r"GELU.{0,200}\b5\b"),
    ("intensities of products", r"\b0\.9976", r"341\.3", r"n ?/ ?3|frac\{?n\}?\{?3\}?"),
    ("GPT-2 XL's shape", r"2127057600", r"4\.513e12|4513336524800"),
    ("state of optimizers", r"AdaGrad.{0,80}\b4\b", r"Adam.{0,80}\b8\b"),
    ("costs of activation checkpointing", r"O\(L\^2\)", r"O\(\\sqrt\{?L\}?\)|O\(√L\)"),
    ("ZeRO's stages", r"\b120 ?GB|120e9|120000000000", r"31\.4", r"16\.6", r"1\.88"),
    ("LLaMA's data", r"2\.8 TB"),
]  # fmt: skip


@pytest.fixture(scope="module")
def corpus():
    """Chapters, public and hidden tests and the table of accelerators, numbers in one spelling.

    1,000 and 1_000 become 1000; 6.3 · 10²⁴ and 6.3 \\cdot 10^{24} become 6.3e24; 2⁻¹⁰ and 2**-10
    become 2^-10; line breaks become spaces.
    """
    paths = [
        *site.WRITEUP.glob("*.md"),
        *(REPOSITORY / "tests" / "public").glob("*.py"),
        *(REPOSITORY / "tests" / "hidden").glob("*.py"),
        REPOSITORY / "assignment" / "hardware.toml",
    ]
    whole = "\n".join(p.read_text(encoding="utf-8") for p in paths if p.is_file())
    whole = re.sub(r"[⁻⁰¹²³⁴-⁹]+", lambda m: "^" + m[0].translate(SUPERSCRIPT), whole)
    whole = re.sub(r"\\[,;! ]|\{,\}|~", lambda m: "" if "," in m[0] else " ", whole)
    whole = re.sub(r"(?<=\d)[,_](?=\d{3})", "", whole)
    whole = re.sub(r"\*\*|\^\{?(-?\w+)\}?", lambda m: "^" + (m[1] or ""), whole)
    whole = re.sub(r"(?<=\d) ?(?:·|×|\*|\\cdot|\\times) ?10\^(-?\d+)", r"e\1", whole)
    whole = whole.replace("\\left", "").replace("\\right", "").replace("−", "-")
    return re.sub(r"\s+", " ", whole)


SUPERSCRIPT = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: fact[0])
def test_number_stands_in_the_text_or_in_a_test(corpus, fact):
    what, *patterns = fact
    for pattern in patterns:
        assert re.search(pattern, corpus), f"{what}: nothing matches {pattern}"
