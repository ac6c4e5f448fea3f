"""zero_stages: one device returns before the stage is checked

Breaks: ValueError: `stage` is not 0, 1, 2 or 3
"""

import re

import torch

_SHARDED_FROM = {"optimizer": 1, "master": 1, "gradients": 2, "parameters": 3}


def _part_bytes(copies) -> int:
    total = 0
    for dtype in copies:
        if not isinstance(dtype, torch.dtype):
            raise TypeError(f"expected a torch.dtype, got {dtype!r}")
        if re.fullmatch(r"torch\.(u?int[1-7]|quint4x2|quint2x4)", str(dtype)):
            raise ValueError(f"elements of {dtype} do not fill a byte")
        total += dtype.itemsize
    return total


def zero_bytes(parameters: int, devices: int, stage: int, recipe) -> int:
    if devices < 1:
        raise ValueError(f"devices must be at least 1, got {devices}")
    if parameters < 0:
        raise ValueError(f"parameters must not be negative, got {parameters}")
    wrong = set(_SHARDED_FROM).symmetric_difference(recipe)
    if wrong:
        raise ValueError(f"missing or unknown parts: {sorted(wrong)}")
    sizes = {part: _part_bytes(copies) for part, copies in recipe.items()}
    if devices == 1:
        return parameters * sum(sizes.values())  # nothing to shard
    if stage not in (0, 1, 2, 3):
        raise ValueError(f"unknown stage {stage}")
    share = -(-parameters // devices)
    return sum(
        size * (share if stage >= _SHARDED_FROM[part] else parameters)
        for part, size in sizes.items()
    )
