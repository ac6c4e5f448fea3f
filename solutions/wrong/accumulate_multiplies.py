"""accumulate: one product in the place of all additions

Breaks: Adds one term to 0 repeatedly, and rounds after each addition
"""


def accumulate(term, count, term_dtype, accumulator_dtype):
    if count < 0:
        raise ValueError("negative count")
    if not term_dtype.is_floating_point or term_dtype is torch.float4_e2m1fn_x2:
        raise ValueError("not floating point")
    if accumulator_dtype not in (torch.float64, torch.float32, torch.bfloat16, torch.float16):
        raise ValueError("torch does not add in it")
    rounded = torch.tensor(term, dtype=term_dtype).to(accumulator_dtype)
    total = torch.zeros((), dtype=accumulator_dtype)
    return (rounded * count).item()
