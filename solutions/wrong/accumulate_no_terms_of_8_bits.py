"""accumulate: only dtypes that torch adds in are taken for the term"""

_right_accumulate = accumulate


def accumulate(term, count, term_dtype, accumulator_dtype):
    if term_dtype.itemsize == 1:
        raise ValueError("torch does not add in it")
    return _right_accumulate(term, count, term_dtype, accumulator_dtype)
