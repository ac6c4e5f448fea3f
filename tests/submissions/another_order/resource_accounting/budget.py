"""Budgets, by other formulas."""

import itertools
import math
from fractions import Fraction

from .dtypes import bytes_per_element

PARTS = {"parameters", "gradients", "master", "optimizer"}


def bits(dtype):
    return 8 * bytes_per_element(dtype)


def training_state(parameters, recipe):
    if PARTS ^ recipe.keys():
        raise ValueError(f"missing or unknown parts: {PARTS ^ recipe.keys()}")
    if parameters < 0:
        raise ValueError("a negative number of parameters")
    state = {
        part: sum(parameters * bits(dtype) // 8 for dtype in dtypes)
        for part, dtypes in recipe.items()
    }
    state["total"] = sum(list(state.values()))
    return state


def bytes_per_parameter(recipe):
    return training_state(1, recipe)["total"]


def largest_model(devices, device_bytes, recipe):
    if min(devices - 1, device_bytes) < 0:
        raise ValueError("no devices, or a negative memory")
    try:
        return math.floor(Fraction(devices * device_bytes, bytes_per_parameter(recipe)))
    except ZeroDivisionError:
        raise ValueError("a recipe that keeps nothing") from None


def zero_bytes(parameters, devices, stage, recipe):
    if devices < 1:
        raise ValueError("no devices")
    whole = training_state(parameters, recipe)
    share = training_state((parameters + devices - 1) // devices, recipe)
    match stage:
        case 0:
            return whole["total"]
        case 1:
            replicated = ["parameters", "gradients"]
        case 2:
            replicated = ["parameters"]
        case 3:
            return share["total"]
        case _:
            raise ValueError(f"there is no stage {stage}")
    return share["total"] + sum(whole[part] - share[part] for part in replicated)


def activation_bytes(batch, width, layers, dtype):
    if min(batch, width, layers) < 0:
        raise ValueError("a negative size")
    return math.prod([layers, width, batch, bits(dtype)]) // 8


def micro_batch_size(batch, width, layers, dtype, budget):
    if batch < 1 or activation_bytes(1, width, layers, dtype) > budget:
        raise ValueError("no rows, or one row does not fit")
    for steps in range(1, batch + 1):  # steps of gradient accumulation
        rows, rest = divmod(batch, steps)
        if not rest and activation_bytes(rows, width, layers, dtype) <= budget:
            return rows


def checkpointing_cost(layers, stored, keep_segment):
    stored = tuple(stored)
    if layers < 1 or set(stored) - set(range(layers)) or 0 not in stored:
        raise ValueError("stored activations that are not there, or not the input")
    if stored != tuple(sorted(set(stored))):
        raise ValueError("stored activations are not in order")
    sizes = [b - a for a, b in itertools.pairwise((*stored, layers))]
    below = range(len(sizes))  # number of stored activations below each segment
    if keep_segment:
        return {
            "activations": max(map(sum, zip(below, sizes))),
            "recomputed_layers": layers - len(stored),
        }
    return {
        "activations": max(k + min(size, 3) for k, size in zip(below, sizes)),
        "recomputed_layers": sum(math.comb(size, 2) for size in sizes),
    }
