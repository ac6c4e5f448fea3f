"""accumulate: a count of 0 gives 0.0 before the dtypes are checked

Breaks: a dtype is not one of these, even if `count` is 0
"""

_accumulate = accumulate


def accumulate(term, count, term_dtype, accumulator_dtype):
    return 0.0 if count == 0 else _accumulate(term, count, term_dtype, accumulator_dtype)
