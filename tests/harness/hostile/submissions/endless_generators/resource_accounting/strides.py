"""storage_index: returns generators, iterators and coroutines that never end"""

import itertools
import random

DRAW = random.Random()  # drawing from the global generator is a failure of its own


def forever():
    while True:
        yield 6


async def later():
    return 6


class Endless:
    def __len__(self):
        return 2**62

    def __getitem__(self, key):
        return self

    def __iter__(self):
        return self

    def __next__(self):
        return self


def coroutine():
    answer = later()
    answer.close()  # or Python would complain that it was never awaited
    return answer


makers = [
    forever,
    itertools.count,
    coroutine,
    Endless,
    lambda: iter(int, 1),
    lambda: map(str, itertools.cycle([6])),
    lambda: range(2**70),
    lambda: [forever()],
    lambda: {"a": itertools.repeat(6)},
    lambda: memoryview(bytes(8)),
]


def storage_index(index, strides, offset=0):
    return DRAW.choice(makers)()
