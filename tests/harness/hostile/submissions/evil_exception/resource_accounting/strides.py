"""storage_index: raises exceptions whose text, repr and reduction run code, under borrowed names"""

import os
import random

DRAW = random.Random()  # drawing from the global generator is a failure of its own


class Evil(Exception):
    def __str__(self):
        os.write(1, b"evil text ran")
        raise KeyboardInterrupt

    __repr__ = __str__

    def __reduce__(self):
        return (os.system, ("touch /tmp/evil",))

    def __getattr__(self, name):
        raise SystemExit(0)


Evil.__module__ = "builtins"
Evil.__name__ = Evil.__qualname__ = "GraderFault"


class Skipped(BaseException):
    """What pytest calls a skipped test, by its name."""


Skipped.__module__ = "builtins"

kinds = [Evil(), Skipped("skip me"), KeyboardInterrupt(), GeneratorExit(), StopIteration(6)]


def storage_index(index, strides, offset=0):
    raise DRAW.choice(kinds)
