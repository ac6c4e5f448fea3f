"""decode_roofline: negative numbers pass

Breaks: an argument is not positive
"""


def _check_positive(**numbers):
    if not all(number > 0 or number < 0 for number in numbers.values()):
        raise ValueError("a number is 0")
