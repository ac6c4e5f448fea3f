"""accumulate: a negative count adds nothing, and is not refused

Breaks: how often to add it, at least 0

Breaks: `count` is negative
"""


def accumulate(term, count, term_dtype, accumulator_dtype):
    if not term_dtype.is_floating_point or term_dtype is torch.float4_e2m1fn_x2:
        raise ValueError("not floating point")
    if accumulator_dtype not in (torch.float64, torch.float32, torch.bfloat16, torch.float16):
        raise ValueError("torch does not add in it")
    rounded = torch.tensor(term, dtype=term_dtype).to(accumulator_dtype)
    total = torch.zeros((), dtype=accumulator_dtype)
    for _ in range(count):
        total += rounded
    return total.item()
