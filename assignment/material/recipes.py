"""Recipes for tests, and values that are none. The chapter `budget` says what a recipe is."""

from __future__ import annotations

import numpy as np
import torch

_BYTES = {  # of one element
    torch.bfloat16: 2,
    torch.float32: 4,
    torch.float64: 8,
    torch.float8_e4m3fn: 1,
    torch.complex64: 8,
}

_FP32, _BF16 = torch.float32, torch.bfloat16
_GOOD = {"parameters": [_BF16], "gradients": [_BF16], "master": [], "optimizer": [_FP32, _FP32]}

NO_RECIPES = [  # with the error that each is refused with
    ({part: dtypes for part, dtypes in _GOOD.items() if part != "gradients"}, ValueError),
    ({**_GOOD, "momentum": []}, ValueError),
    ({**_GOOD, "optimizer": [torch.quint4x2, _FP32]}, ValueError),
    ({**_GOOD, "master": ["float32"]}, TypeError),
    ({**_GOOD, "optimizer": [_FP32, None]}, TypeError),
]


def drawn_recipe(
    rng: np.random.Generator,
) -> tuple[dict[str, tuple[torch.dtype, ...]], dict[str, int]]:
    """A recipe with one to three random copies in each part, and the bytes of each part."""
    recipe: dict[str, tuple[torch.dtype, ...]] = {}
    held: dict[str, int] = {}
    for part in ("optimizer", "master", "gradients", "parameters"):
        chosen = [list(_BYTES)[int(n)] for n in rng.integers(5, size=int(rng.integers(1, 4)))]
        recipe[part], held[part] = tuple(chosen), sum(_BYTES[dtype] for dtype in chosen)
    return recipe, held
