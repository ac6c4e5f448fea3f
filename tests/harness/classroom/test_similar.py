"""Whose code is alike, whatever they call it."""

import re

from grader.classroom.similar import fingerprints, pairs

LOOP = """
def gather(storage, shape, strides):
    \"\"\"Gathers.\"\"\"
    total = 0
    for index, size in zip(shape, strides):
        if index < 0 or size > 17:
            raise ValueError("no")
        total += index * size - (index // 3) * (size % 5)
        while total > 100:
            total = total // 2 + index - size * 3
    return [total, storage[total], len(shape) + sum(strides)]
"""
OTHER = """
def gather(storage, shape, strides):
    flat = storage.reshape(-1)
    grid = torch.meshgrid(*[torch.arange(n) for n in shape], indexing="ij")
    places = sum(axis * step for axis, step in zip(grid, strides))
    assert places.min() >= 0 and places.max() < flat.numel(), "out of range"
    return flat.index_select(0, places.reshape(-1)).reshape(shape).clone()
"""
RENAMED = re.sub(r"total|index|size", lambda found: f"x_{found[0]}", LOOP).replace("Gathers", "So")
RENAMED = f"import os\n\n# mine\n\n\n{RENAMED}\n\ndef helper(a):\n    return a\n"


def of(**code):
    return {name: fingerprints({"strides.py": text.encode()}) for name, text in code.items()}


def test_renamed_code_is_alike_and_other_code_is_not():
    (found,) = pairs(of(ada=LOOP, bob=OTHER, eve=RENAMED, tim="def (", zoe=""), {})
    assert (found.first, found.second, found.share) == ("ada", "eve", 1.0)
    assert found.where == ("strides.gather",)


def test_what_the_handout_gave_or_many_have_says_nothing():
    assert pairs(of(ada=LOOP, eve=RENAMED), of(handout=LOOP)["handout"]) == []
    many = {f"s{i}": LOOP + OTHER.replace("gather", f"own_{i}") * (i % 2) for i in range(5)}
    found = pairs(of(**many, bob=OTHER), {})
    assert {(pair.first, pair.second) for pair in found} == {
        *(("s0", "s2"), ("s0", "s4"), ("s2", "s4")),  # whose code is all the same
        ("s1", "s3"),
    }


def test_a_part_of_the_code_counts_by_its_share():
    found = pairs(of(ada=LOOP + OTHER.replace("gather", "other"), eve=RENAMED), {}, least=0.9)
    assert [(pair.first, pair.second) for pair in found] == [("ada", "eve")]
