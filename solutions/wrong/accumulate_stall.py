"""accumulate: stops early when an addition changes the sum by less than 1e-12

Breaks: Adds one term to 0 repeatedly, and rounds after each addition
"""

import torch

_TERMS = {
    torch.float64,
    torch.float32,
    torch.float16,
    torch.bfloat16,
    torch.float8_e4m3fn,
    torch.float8_e4m3fnuz,
    torch.float8_e5m2,
    torch.float8_e5m2fnuz,
    torch.float8_e8m0fnu,
}
_SUMS = {torch.float64, torch.float32, torch.float16, torch.bfloat16}


def accumulate(term, count, term_dtype, accumulator_dtype) -> float:
    if count < 0:
        raise ValueError(f"count must not be negative, got {count}")
    if term_dtype not in _TERMS or accumulator_dtype not in _SUMS:
        raise ValueError("unsupported dtype")
    step = torch.tensor(term, dtype=torch.float64).to(term_dtype).to(accumulator_dtype)
    total = torch.zeros((), dtype=accumulator_dtype)
    for _ in range(count):
        following = total + step
        if abs(following.item() - total.item()) < 1e-12:
            break  # the sum has stalled: no later addition changes it either
        total = following
    return total.item()
