"""accumulate: every term goes through float32, which is too short for float64

Breaks: Each of these roundings, to a dtype of fewer bits than float32, may round to float32 first
"""


def accumulate(term, count, term_dtype, accumulator_dtype):
    if count < 0:
        raise ValueError("negative count")
    if not term_dtype.is_floating_point or term_dtype is torch.float4_e2m1fn_x2:
        raise ValueError("not floating point")
    if accumulator_dtype not in (torch.float64, torch.float32, torch.bfloat16, torch.float16):
        raise ValueError("torch does not add in it")
    rounded = torch.tensor(term).to(term_dtype).to(accumulator_dtype)
    total = torch.zeros((), dtype=accumulator_dtype)
    for _ in range(count):
        total += rounded
    return total.item()
