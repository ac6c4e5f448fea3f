"""storage_index: raises exceptions with megabytes of text, in message, notes, class and arguments"""

import random

DRAW = random.Random()  # drawing from the global generator is a failure of its own


def storage_index(index, strides, offset=0):
    text = "passed \x1b[2J\x00" * 2**16
    noted = ValueError(text)
    noted.add_note(text)
    syntax = SyntaxError(text, (text, 2**31 - 1, -(2**31), text))
    named = type("N" * 10**6, (ValueError,), {})(text)
    raise DRAW.choice([noted, syntax, named, ValueError(*[text] * 9), OSError(1, text, text)])
