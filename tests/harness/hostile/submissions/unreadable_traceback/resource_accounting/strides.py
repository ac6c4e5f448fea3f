"""storage_index: raises from code whose file name and lines lead to the tests, to have them quoted"""

import os
import random
import sys

DRAW = random.Random()  # drawing from the global generator is a failure of its own

start = os.path.dirname(os.path.dirname(os.path.dirname(sys.prefix)))
names = [
    os.path.join(folder, "tests", "hidden", "test_strides.py")
    for folder in (os.path.dirname(sys.prefix), start, *sys.orig_argv[-2:], ".", "/")
]


def storage_index(index, strides, offset=0):
    name = DRAW.choice([*names, "/proc/self/environ", "\ud800", "\0", "x" * 10**6])
    lines = "\n" * DRAW.randrange(20, 90)
    try:
        exec(compile(lines + "raise ValueError", name, "exec"))
    except ValueError as error:
        quoted = SyntaxError("invalid syntax", (name, 80, 1, None))
        quoted.__cause__ = error
        raise quoted
    except UnicodeEncodeError:
        raise ValueError("\ud800 in a text that must be sent")
