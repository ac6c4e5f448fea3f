"""Recipes for tests. The chapter `budget` says what a recipe is."""

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


def drawn_recipe(
    rng: np.random.Generator,
) -> tuple[dict[str, tuple[torch.dtype, ...]], dict[str, int]]:
    """A recipe of one to three random copies in each part, and a parameter's bytes in each part."""
    recipe: dict[str, tuple[torch.dtype, ...]] = {}
    held: dict[str, int] = {}
    for part in ("optimizer", "master", "gradients", "parameters"):
        chosen = [list(_BYTES)[int(n)] for n in rng.integers(5, size=int(rng.integers(1, 4)))]
        recipe[part], held[part] = tuple(chosen), sum(_BYTES[dtype] for dtype in chosen)
    return recipe, held
