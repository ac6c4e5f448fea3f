"""accumulate: float8_e8m0fnu is taken like every floating-point dtype

Breaks: but not float8_e8m0fnu, which has no 0.
"""


def accumulate(term, count, term_dtype, accumulator_dtype):
    sums = (torch.float64, torch.float32, torch.bfloat16, torch.float16)
    if count < 0 or accumulator_dtype not in sums:
        raise ValueError("expected a count and a dtype that torch adds in")
    if not term_dtype.is_floating_point or term_dtype is torch.float4_e2m1fn_x2:
        raise ValueError(f"expected a floating-point dtype, got {term_dtype}")
    rounded = torch.tensor(term, dtype=term_dtype).to(accumulator_dtype)
    total = torch.zeros((), dtype=accumulator_dtype)
    for _ in range(count):
        total += rounded
    return total.item()
