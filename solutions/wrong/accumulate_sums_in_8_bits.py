"""accumulate: a sum in 8 bits is added up in float32 and rounded after each addition

Breaks: the dtype of the sum: float64, float32, bfloat16 or float16. (torch does not add in 8
bits.)

Breaks: or a dtype is not one of these
"""

_right_accumulate = accumulate


def accumulate(term, count, term_dtype, accumulator_dtype):
    if accumulator_dtype not in (torch.float8_e4m3fn, torch.float8_e5m2):
        return _right_accumulate(term, count, term_dtype, accumulator_dtype)
    total = 0.0
    for _ in range(count):
        total = _right_accumulate(total + term, 1, accumulator_dtype, torch.float32)
    return total
