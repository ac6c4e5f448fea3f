"""accumulate: the term is rounded to the accumulator only

Breaks: The term is rounded to `term_dtype`
"""


def accumulate(term, count, term_dtype, accumulator_dtype):
    if count < 0:
        raise ValueError("negative count")
    if not term_dtype.is_floating_point or term_dtype is torch.float4_e2m1fn_x2:
        raise ValueError("not floating point")
    if accumulator_dtype not in (torch.float64, torch.float32, torch.bfloat16, torch.float16):
        raise ValueError("torch does not add in it")
    rounded = torch.tensor(term, dtype=torch.float64).to(accumulator_dtype)
    total = torch.zeros((), dtype=accumulator_dtype)
    for _ in range(count):
        total += rounded
    return total.item()
