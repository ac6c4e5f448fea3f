"""accumulate (core): the sum is kept in float64, and rounded once

Breaks: is rounded to it after every addition, as torch does when it adds two tensors of that dtype
"""


def accumulate(term, count, term_dtype, accumulator_dtype):
    if count < 0:
        raise ValueError("negative count")
    no_terms = (torch.float4_e2m1fn_x2, torch.float8_e8m0fnu)
    if not term_dtype.is_floating_point or term_dtype in no_terms:
        raise ValueError("not floating point")
    if accumulator_dtype not in (torch.float64, torch.float32, torch.bfloat16, torch.float16):
        raise ValueError("torch does not add in it")
    rounded = torch.tensor(term, dtype=term_dtype).to(accumulator_dtype)
    total = torch.zeros((), dtype=torch.float64)
    for _ in range(count):
        total += rounded
    return total.to(accumulator_dtype).item()
