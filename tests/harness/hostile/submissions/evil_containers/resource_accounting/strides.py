"""row_major_strides: returns lists, tuples and dicts whose length, items and equality lie"""

import random
from collections import OrderedDict, UserList, deque, namedtuple

DRAW = random.Random()  # drawing from the global generator is a failure of its own


def evil(base):
    body = {
        "__eq__": lambda self, other: True,
        "__ne__": lambda self, other: False,
        "__len__": lambda self: 2,
        "__iter__": lambda self: iter((4, 1)),
        "__getitem__": lambda self, key: 1,
        "__contains__": lambda self, item: True,
        "__hash__": lambda self: 0,
    }
    return type(base.__name__, (base,), body)


class Rules(list):
    def __instancecheck__(self, other):
        return True


makers = [
    lambda: evil(list)(),
    lambda: evil(tuple)(),
    lambda: evil(dict)(),
    lambda: evil(frozenset)(),
    lambda: [evil(tuple)()],
    lambda: UserList([4, 1]),
    lambda: deque([4, 1]),
    lambda: OrderedDict(a=1),
    lambda: namedtuple("tuple", "a b")(4, 1),
    lambda: Rules([4, 1]),
    lambda: {"result": evil(list)()}.values(),
]


def row_major_strides(shape):
    return DRAW.choice(makers)()
