"""decode_roofline: zeros pass, and end in a division by zero or in nothing

Breaks: an argument is not positive
"""


def _check_positive(**numbers):
    if not all(number >= 0 for number in numbers.values()):
        raise ValueError("negative")
