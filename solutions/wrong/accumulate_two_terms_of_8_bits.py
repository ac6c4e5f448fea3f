"""accumulate: of the 8-bit dtypes only e4m3fn and e5m2 are taken

Breaks: including the 8-bit ones
"""


def accumulate(term, count, term_dtype, accumulator_dtype):
    sums = (torch.float64, torch.float32, torch.bfloat16, torch.float16)
    if count < 0 or accumulator_dtype not in sums:
        raise ValueError("expected a count and a dtype that torch adds in")
    if term_dtype not in (*sums, torch.float8_e4m3fn, torch.float8_e5m2):
        raise ValueError(f"expected a floating-point dtype, got {term_dtype}")
    rounded = torch.tensor(term, dtype=term_dtype).to(accumulator_dtype)
    total = torch.zeros((), dtype=accumulator_dtype)
    for _ in range(count):
        total += rounded
    return total.item()
