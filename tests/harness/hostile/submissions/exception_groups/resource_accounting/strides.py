"""storage_index: raises groups of exceptions within groups, wide and deep"""

import random

DRAW = random.Random()  # drawing from the global generator is a failure of its own


def storage_index(index, strides, offset=0):
    wide = ExceptionGroup("passed", [ValueError(i) for i in range(2000)])
    deep = ValueError("the end")
    for _ in range(500):
        deep = ExceptionGroup("deeper", [deep, KeyError(0)])
    ends = BaseExceptionGroup("ends", [SystemExit(0), KeyboardInterrupt(), deep])
    raise DRAW.choice([wide, deep, ends])
