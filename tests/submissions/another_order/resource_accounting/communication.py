"""Communication, by other formulas."""

import math
from fractions import Fraction

from .dtypes import tensor_bytes


def padded(elements, devices, dtype):
    """Bytes of the buffer with its padding."""
    if min(elements, devices - 1) < 0:
        raise ValueError("a negative buffer, or no devices")
    return tensor_bytes((elements + -elements % devices,), dtype)


def collective_bytes(collective, elements, devices, dtype):
    whole = padded(elements, devices, dtype)
    match collective:
        case "all_gather" | "reduce_scatter":
            return whole - whole // devices
        case "all_reduce":
            return 2 * (whole - whole // devices)
        case "broadcast":
            return tensor_bytes((elements, min(devices - 1, 1)), dtype)
        case _:
            raise ValueError(f"{collective!r} is no collective of the four")


# gradients once a step and for each micro-batch, then parameters likewise
_COUNTS = {0: (2, 0, 0, 0), 1: (1, 0, 1, 0), 2: (0, 1, 1, 0), 3: (0, 1, 0, 2)}


def zero_traffic(parameters, devices, stage, parameter_dtype, gradient_dtype, micro_batches=1):
    if micro_batches < 1:
        raise ValueError("no micro-batches")
    try:
        once, often, kept_once, kept_often = _COUNTS[stage]
    except KeyError:
        raise ValueError(f"there is no stage {stage}") from None
    share = collective_bytes("reduce_scatter", parameters, devices, gradient_dtype)
    gradients = (once + often * micro_batches) * share
    share = collective_bytes("all_gather", parameters, devices, parameter_dtype)
    kept = (kept_once + kept_often * micro_batches) * share
    return dict(total=gradients + kept, parameters=kept, gradients=gradients)


def tensor_parallel_traffic(tokens, width, layers, devices, dtype):
    tensor_bytes((tokens, width, layers), dtype)
    return sum(
        count * layers * collective_bytes(half, tokens * width, devices, dtype)
        for half, count in (("reduce_scatter", 4), ("all_gather", 4))
    )


def step_seconds(tokens, parameters, sent_bytes, peak_flops, bandwidth):
    if not (peak_flops > 0 < bandwidth) or min(tokens, parameters, sent_bytes) < 0:
        raise ValueError("no such step")
    parts = [parameters / peak_flops * 6 * tokens, sent_bytes / bandwidth]
    names = ("sequential", "overlapped", "communication", "compute")
    return dict(zip(names, (sum(parts), max(parts), parts[1], parts[0]), strict=True))


def hiding_tokens(parameters, sent_bytes, peak_flops, bandwidth):
    if not (peak_flops > 0 < bandwidth) or min(parameters - 1, sent_bytes) < 0:
        raise ValueError("no such step")
    wire = Fraction(sent_bytes) / Fraction(bandwidth)
    token = 6 * Fraction(parameters) / Fraction(peak_flops)
    return math.ceil(wire / token)


def mesh_traffic(tokens, parameters, layers, width, data, tensor, dtype):
    byte = tensor_bytes((1,), dtype)
    row = -(-tokens * width // (data * tensor))  # elements of a chunk
    column = -(-parameters // (data * tensor))
    within = {"tensor": 8 * layers * (tensor - 1) * row, "data": 3 * (data - 1) * column}
    return {axis: byte * elements for axis, elements in within.items()}


def largest_tensor_degree(parameters, layers, width, heads, dtype, peak_flops, bandwidth):
    slower = Fraction(4 * layers * tensor_bytes((width,), dtype), 3 * parameters)
    slower *= Fraction(peak_flops) / Fraction(bandwidth)
    degree = min(heads, 1 + math.floor(1 / slower))
    while heads % degree:
        degree -= 1
    return degree
