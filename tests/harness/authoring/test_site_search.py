"""The search in the pages: what its index holds, and what it finds."""

import re
from urllib.parse import unquote

import pytest

from assignment import manifest
from grader.authoring.site import search, text
from tests.harness.authoring.javascript import SCRIPTS, evaluate, needs_node

SCRIPT = (SCRIPTS / "search.js").read_text(encoding="utf-8")
CHAPTER = """# About bytes

First words.

## Idea

A byte has $8$ bits, so $\\frac{1}{8}$ and $\\text{size} \\cdot 10^{24}$.

```sh
make test
```

| one | two |
|---|---|
| three | *four* |

## Exercise `tensor_bytes` (1 point)

- Write it.
- Test it.

## Problems

**Problem 1.** How much?

<details><summary>Answer</summary>

Twelve.

</details>

Last words.
"""


@pytest.fixture
def entries(folder):
    """The entries of a small chapter."""
    (folder / "dtypes.md").write_text(CHAPTER)
    return search.entries(text.read(folder).chapters[1])


# The index


def test_each_heading_is_an_entry_with_its_link(entries):
    assert [(e.link, e.title, e.exercise, e.chapter) for e in entries] == [
        ("dtypes.html", "About bytes", "", "About bytes"),
        ("dtypes.html#idea", "Idea", "", "About bytes"),
        (
            "dtypes.html#exercise-tensor_bytes-1-point",
            next(e.title for e in manifest.load() if e.id == "tensor_bytes"),
            "tensor_bytes",
            "About bytes",
        ),
        ("dtypes.html#problems", "Problems", "", "About bytes"),
    ]


def test_entry_holds_the_text_below_its_heading(entries):
    assert [e.text for e in entries] == [
        "First words.",
        "A byte has 8 bits, so 1 / 8 and size · 10^24. make test one two three four",
        "Write it. Test it.",
        "Problem 1. How much? Last words.",
    ]


def test_index_leads_to_every_heading_and_exercise_of_the_book(book):
    found = [entry for chapter in book.chapters for entry in search.entries(chapter)]
    headings = {f"{c.name}.html#{s.anchor}" for c in book.chapters for s in c.sections}
    assert {e.link for e in found} == headings | {f"{c.name}.html" for c in book.chapters}
    assert [e.exercise for e in found if e.exercise] == [e.id for e in manifest.load()]
    assert not [e.text for e in found if "\\" in e.text or "<details" in e.text]


def test_page_without_scripts_shows_no_box(book, built):
    for path in built.glob("*.html"):
        page = path.read_text(encoding="utf-8")
        assert re.search(r'<div class="search" id="search" role="search" hidden>', page)
    for entry in search.entries(book.chapters[1]):
        file, _, anchor = entry.link.partition("#")
        page = (built / file).read_text(encoding="utf-8")
        assert not anchor or f'id="{unquote(anchor)}"' in page


# What is found


def find(index, query):
    found = evaluate(
        "search(SEARCH_INDEX, query).map((entry) => entry.link)", index, SCRIPT, query=query
    )
    return [re.sub(r"-\d+-points?(-further)?$", "", link) for link in found]


@pytest.fixture(scope="module")
def index(book):
    return search.script(book)


@needs_node
@pytest.mark.parametrize(
    ("query", "best"),
    [
        ("tensor_bytes", "dtypes.html#exercise-tensor_bytes"),
        ("TENSOR_BYTES", "dtypes.html#exercise-tensor_bytes"),
        ("  tensor  bytes ", "dtypes.html#exercise-tensor_bytes"),
        ("kv cache", "inference.html#exercise-kv_cache"),
        ("6nd", "flops.html#6nd-days-and-mfu"),
        ("units", "index.html#units-and-notation"),
    ],
)
def test_best_result_is_first(index, query, best):
    assert find(index, query)[0] == best


@needs_node
def test_every_word_must_be_there_and_twelve_results_are_shown(index):
    assert find(index, "tensor_bytes")
    assert find(index, "tensor_bytes unfindable") == []
    assert find(index, " ") == find(index, "") == []
    assert find(index, "(.*)+[") == []
    assert len(find(index, "a")) == 12


@needs_node
@pytest.mark.parametrize(
    ("words", "query", "marked"),
    [
        ("All of a short text.", "short of", "All [of] a [short] text."),
        ("It’s a B.", "it's", "[It’s] a B."),
        ("Of f(x) and f.", "f(x) f", "O[f] [f(x)] and [f]."),
        ("No hit.", "other", "No hit."),
        ("Nothing asked.", "", "Nothing asked."),
        ("İ ß ǅ and 𝒜 here", "here", "İ ß ǅ and 𝒜 [here]"),
    ],
)
def test_hits_are_marked(words, query, marked):
    parts = evaluate("excerpt(words, query)", SCRIPT, words=words, query=query)
    assert "".join(f"[{p['text']}]" if p["hit"] else p["text"] for p in parts) == marked


@needs_node
@pytest.mark.parametrize("where", [0, 50, 100, 199])
def test_excerpt_is_what_surrounds_the_first_hit(where):
    words = [f"word{n:03}" for n in range(200)]
    words[where] = "needle"
    parts = evaluate("excerpt(words, 'Needle')", SCRIPT, words=" ".join(words))
    shown = "".join(part["text"] for part in parts).split()
    assert [part["text"] for part in parts if part["hit"]] == ["needle"]
    assert 5 <= len(shown) <= 20
    assert set(shown) <= set(words), "a word is cut"
