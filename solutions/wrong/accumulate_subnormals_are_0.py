"""accumulate: terms below the smallest normal number of fp16 are flushed to 0

Breaks: The term is rounded to `term_dtype`
"""

_right_accumulate = accumulate


def accumulate(term, count, term_dtype, accumulator_dtype):
    if (
        isinstance(term_dtype, torch.dtype)
        and term_dtype is torch.float16
        and abs(term) < torch.finfo(term_dtype).tiny
    ):
        term = 0.0
    return _right_accumulate(term, count, term_dtype, accumulator_dtype)
