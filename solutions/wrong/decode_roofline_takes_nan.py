"""decode_roofline: nan is not below 0, and passes

Breaks: nan is outside every range.

Breaks: a number of bytes is not positive.
"""


def _check_positive(**numbers):
    if any(number <= 0 for number in numbers.values()):
        raise ValueError("not positive")
