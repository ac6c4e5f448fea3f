"""Formulas whose numbers can be changed: Python, JavaScript and the reference compute the same."""

import math
import random

import pytest
import torch

from grader.authoring import site
from grader.authoring.site import formulas, pages, pdf, text
from solutions.resource_accounting import budget, communication, flops, inference, ledger, roofline
from tests.harness.authoring.javascript import SCRIPTS, evaluate, needs_node

SCRIPT = (SCRIPTS / "formulas.js").read_text(encoding="utf-8")
COPIES = {
    0: [],
    1: [torch.float8_e4m3fn],
    2: [torch.bfloat16],
    4: [torch.float32],
    8: [torch.float32] * 2,
    12: [torch.float32] * 3,
}


def whole(values):
    """Counts as ints, which the reference takes."""
    return {name: int(value) if value.is_integer() else value for name, value in values.items()}


def recipe(p, g, m, o):
    copies = {"parameters": p, "gradients": g, "master": m, "optimizer": o}
    return {part: COPIES[size] for part, size in copies.items()}


def training(N, D, n, P, mfu):
    return [flops.training_flops(N, D), flops.training_days(N, D, n, P, mfu)]


def attainable(I, peak, bandwidth):  # noqa: E741
    speed = roofline.attainable_flops(I, peak, bandwidth)
    return [roofline.accelerator_intensity(peak, bandwidth), speed, 100 * speed / peak]


def state(N, p, g, m, o, n, M):
    kept = recipe(p, g, m, o)
    total = budget.training_state(N, kept)["total"]
    largest = budget.largest_model(n, M, kept)
    return [budget.bytes_per_parameter(kept), total / 1e9, math.ceil(total / M), largest]


def zero(N, P, p, g, K):
    stages = [budget.zero_bytes(N, P, stage, recipe(p, g, 0, K)) / 1e9 for stage in range(4)]
    return [budget.zero_bytes(N, P, 3, recipe(1, 0, 0, 0)), *stages]


def cache(B, T, L, K, d, c, M, W):
    [dtype] = COPIES[c]
    token, whole = (
        inference.kv_cache_bytes(batch, tokens, L, K, d, dtype)
        for batch, tokens in ((1, 1), (B, T))
    )
    fit = inference.largest_cached_batch(M, W, T, L, K, d, dtype) if W <= M else 0
    return [token, whole / 1e9, fit]


def all_reduce(S, b, n, W):
    [dtype] = COPIES[b]
    sent = communication.collective_bytes("all_reduce", S, n, dtype)
    seconds = communication.step_seconds(0, 0, sent, 1.0, W)["communication"]
    chunk = communication.collective_bytes("all_gather", S, n, torch.uint8) // (n - 1)
    return [chunk, sent / 1e9, 1e3 * seconds]


def activations(b, s, h, a, L):
    """The paper's, without the statistics of norms that the exercise counts too."""
    sizes = {"batch": b, "seq_len": s, "d_model": h, "heads": a, "d_ff": 4 * h}
    return [
        L * (ledger.block_activations(**sizes, **how, dtype=torch.bfloat16)["total"] - 16 * s * b)
        / 1e9
        for how in (
            {"dropout": True, "attention": "math"},
            {"dropout": False, "attention": "math"},
            {"dropout": False, "attention": "flash"},
        )
    ]  # fmt: skip


REFERENCES = {
    "flops-1": training,
    "roofline-1": attainable,
    "budget-1": state,
    "budget-2": zero,
    "inference-1": cache,
    "communication-1": all_reduce,
    "ledger-1": activations,
}


# What the reference takes of a number besides any whole number, or any near the example's.
BYTES = (1, 2, 4)
CHOICES = {
    "budget-1": {"p": BYTES, "g": BYTES, "m": (0, 4), "o": (0, 4, 8)},
    "budget-2": {"p": BYTES, "g": BYTES, "K": (4, 8, 12)},
    "inference-1": {"c": BYTES},
    "communication-1": {"b": BYTES},
    "ledger-1": {"h": (512, 1600, 4096), "a": (1, 8, 32)},
}


def drawn(formula, rng):
    values = {}
    for name, example in formula.given.items():
        if choices := CHOICES.get(formula.id, {}).get(name):
            values[name] = rng.choice(choices)
        elif example < 1:
            values[name] = rng.uniform(example / 2, 2 * example)
        else:
            values[name] = rng.randint(math.ceil(example / 2), math.ceil(3 * example))
    return {name: float(value) for name, value in values.items()}


def examples(formula, count=50):
    rng = random.Random(formula.id)
    return [dict(formula.given), *(drawn(formula, rng) for _ in range(count))]


@pytest.fixture(scope="module")
def every(book):
    """The formulas of the text."""
    return {formula.id: formula for chapter in book.chapters for formula in chapter.formulas}


def test_every_formula_has_its_reference(every):
    assert set(every) == set(REFERENCES)


@pytest.mark.parametrize("name", REFERENCES)
def test_formula_computes_what_the_reference_does(every, name):
    formula = every[name]
    for given in examples(formula):
        expected = REFERENCES[name](**whole(given))
        assert list(formula.compute(**given).values()) == pytest.approx(expected, rel=1e-12), given


@needs_node
@pytest.mark.parametrize("name", REFERENCES)
def test_javascript_computes_and_shows_what_python_does(every, name):
    formula = every[name]
    given = examples(formula)
    results = evaluate(
        "given.map((values) => FORMULAS[name]({...values}))"
        ".map((all) => Object.values(all).map((value) => [value, shown(value)]))",
        formulas.script([formula]),
        SCRIPT,
        given=given,
        name=name,
    )
    for values, found in zip(given, results, strict=True):
        expected = [*values.values(), *formula.compute(**values).values()]
        assert found == [[value, formulas.shown(value)] for value in expected]


@needs_node
def test_numbers_are_shown_alike():
    rng = random.Random(0)
    numbers = [
        0.0,
        1.5,
        12344.5,
        12345.5,
        999_999.96,
        1e-3,
        9.9996e-4,
        1e12,
        1e12 - 1,
        6.3e24,
        -2.5,
    ]
    numbers += [rng.uniform(1, 10) * 10.0 ** rng.randint(-12, 30) for _ in range(500)]
    numbers += [float(rng.randint(0, 10**6)) for _ in range(100)]
    assert evaluate("numbers.map(shown)", SCRIPT, numbers=numbers) == [
        formulas.shown(number) for number in numbers
    ]


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (0.0, "0"),
        (53_333_333_333.0, "53,333,333,333"),
        (143.9318, "143.93"),
        (123456.7, "123,460"),
        (6.3e24, "6.3e24"),
        (1e12, "1e12"),
        (0.0001, "1e-4"),
        (12344.5, "12,345"),
    ],
)
def test_number_is_shown(number, expected):
    assert formulas.shown(number) == expected


@needs_node
def test_what_is_typed_is_a_number_from_0_on_or_none():
    words = ["1", " 70e9 ", "28,672", "0.5", "0", "-1", "", " ", "1e999", "many", "Infinity"]
    assert evaluate("words.map(typed)", SCRIPT, words=words) == [
        *(1, 70e9, 28672, 0.5, 0),
        *[None] * 6,
    ]
    assert evaluate("[NaN, Infinity].map(shown)", SCRIPT) == ["–", "–"]


# The tables


@pytest.fixture
def chapter(folder):
    """Reads a chapter that has a formula of these rows."""

    def read(*rows):
        head = ("# About bytes", "", "| name | value | unit | what |", "|---|---:|---|---|")
        (folder / "dtypes.md").write_text("\n".join([*head, *rows, ""]))
        return text.read(folder)

    return read


def test_formula_is_a_table_on_the_page_and_in_the_pdf(chapter):
    book = chapter("| `n` | 1,000 | | numbers |", "| `half` | 500 | B | `max(n, 2) / 2` |")
    [formula] = book.chapters[1].formulas
    assert formula.compute() == {"half": 500}
    assert formula.compute(n=3) == {"half": 1.5}
    body = pages.body(book.chapters[1])
    assert '<div class="formula" data-formula="dtypes-1">' in body
    assert "<code>max(n, 2) / 2</code>" in body
    assert "1,000" in body
    assert "[`half`], [500], [B], [`max(n, 2) / 2`]" in pdf.source(book)


def test_page_loads_what_its_formulas_need(chapter, tmp_path):
    pages.write(chapter("| `n` | 1 | | numbers |"), tmp_path / "site")
    for name, loads in (("dtypes", True), ("index", False), ("exercises", False)):
        page = (tmp_path / "site" / f"{name}.html").read_text(encoding="utf-8")
        assert ('src="computed.js"' in page) == ('src="formulas.js"' in page) == loads


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("| `r` | 499 | | `n / 2` |", "r is 500, not 499"),
        ("| `r` | 500 | | `q / 2` |", "row r: cannot compute q"),
        ("| `r` | 500 | | `n // 2` |", "row r: cannot compute n // 2"),
        ("| `r` | 500 | | `n ** 2` |", r"row r: cannot compute n \*\* 2"),
        ("| `r` | 500 | | `open('n')` |", "row r: cannot compute open"),
        ("| `r` | 500 | | `n.real` |", r"row r: cannot compute n\.real"),
        ("| `r` | 500 | | `n /` |", "row r: invalid syntax"),
        ("| `r` | 500 | | `n / 0` |", "row r: float division by zero"),
        ("| `r` | 1 | | `True` |", "row r: cannot compute True"),
        ("| `r` | many | | numbers |", "row r: could not convert"),
        ("| `r` | -1 | | numbers |", "row r: expected a number from 0 on"),
        ("| `r` | inf | | numbers |", "row r: expected a number from 0 on"),
        ("| `n` | 1 | | again |", "row n: expected a name that no other row has"),
        ("| `two words` | 1 | | numbers |", "row two words: expected a name"),
    ],
)
def test_mistake_in_a_formula_is_named(chapter, row, message):
    with pytest.raises(site.WriteupError, match=rf"dtypes\.md: formula.*{message}"):
        chapter("| `n` | 1000 | | numbers |", row)
