"""Plain data: what is refused says how to make it plain, and its code is never called."""

import collections
import enum
import typing

import numpy as np
import pytest
import torch

from assignment.calls import plain
from assignment.calls.plain import NotPlainData
from grader.wire import frames

Point = collections.namedtuple("Point", "x y")


class Typed(typing.NamedTuple):
    x: int


class Width(enum.IntEnum):
    EIGHT = 8


class Kind(enum.Enum):
    HALF = "half"


def derived(base):
    return type(f"My{base.__name__}", (base,), {})


ADVICE = [
    (np.float64(1), "wrap it in float(), or in int() where an int is asked"),
    (np.float32(1), "wrap it in float(), or in int() where an int is asked"),
    (np.int64(1), "use Python's ints, which cannot overflow"),
    (np.bool_(True), "wrap it in bool()"),
    (np.str_("a"), "wrap it in str()"),
    (np.complex64(1), None),
    (collections.OrderedDict(a=1), "wrap it in dict()"),
    (collections.defaultdict(int), "wrap it in dict()"),
    (collections.Counter("abc"), "wrap it in dict()"),
    (torch.nn.Linear(1, 1).state_dict(), "wrap it in dict()"),
    (Point(1, 2), "wrap it in tuple()"),
    (Typed(1), "wrap it in tuple()"),
    (torch.ones(2).max(0), "wrap it in tuple()"),
    (derived(list)(), "wrap it in list()"),
    (derived(int)(1), "wrap it in int()"),
    (derived(float)(1), "wrap it in float()"),
    (derived(str)("a"), "wrap it in str()"),
    (derived(bytes)(b"a"), "wrap it in bytes()"),
    (bytearray(b"a"), "wrap it in bytes()"),
    (Width.EIGHT, "take its .value"),
    (Kind.HALF, "take its .value"),
    ({1, 2}, "wrap it in list()"),
    (range(3), "wrap it in list()"),
    ((i for i in range(3)), "wrap it in list()"),
    (map(int, "12"), "wrap it in list()"),
    ({"a": 1}.values(), "wrap it in list()"),
    (collections.deque([1]), "wrap it in list()"),
    (np.ones(1).view(derived(np.ndarray)), "wrap it in np.array()"),
    (derived(torch.Tensor)(), "call its .as_subclass(torch.Tensor)"),
    (object(), None),
]


@pytest.mark.parametrize("dtype", [np.longdouble, np.clongdouble])
def test_long_doubles_are_refused_at_home_as_in_a_worker(dtype):
    """Machines differ in their bytes"""
    for send in (plain.copy, plain.copy_arguments, lambda v, _: list(frames.encode(1, v))):
        with pytest.raises(NotPlainData, match="is an array of"):
            send([np.zeros(2, dtype)], "value")


@pytest.mark.parametrize(("value", "advice"), ADVICE, ids=lambda v: type(v).__name__)
def test_what_is_not_plain_data_says_how_to_make_it_so(value, advice):
    """In the student's process, and where a worker sends its answer"""
    for send in (plain.copy, lambda v: list(frames.encode(1, v))):
        with pytest.raises(NotPlainData) as caught:
            send([value])
        text = str(caught.value)
        assert text.partition("value[0]")[2].startswith(" is an object of type ")
        expected = f"; expected plain data ({plain.PLAIN})"
        assert text.endswith(f"{expected}; {advice}" if advice else expected)


@pytest.mark.parametrize(("value", "advice"), [a for a in ADVICE if a[1]])
def test_the_advice_helps(value, advice):
    """A value changed as advised is plain data"""
    ways = {
        "wrap it in np.array()": np.array,
        "call its .as_subclass(torch.Tensor)": lambda v: v.as_subclass(torch.Tensor),
        "take its .value": lambda v: v.value,
        "wrap it in float(), or in int() where an int is asked": float,
        **{f"wrap it in {kind.__name__}()": kind for kind in (bool, bytes, dict, float)},
        **{f"wrap it in {kind.__name__}()": kind for kind in (int, list, str, tuple)},
        "use Python's ints, which cannot overflow": int,
    }
    plain.copy(ways[advice](value))


@pytest.mark.parametrize(
    ("key", "advice"),
    [
        (np.int64(1), "use keys of these types"),
        (np.str_("a"), "wrap it in str()"),
        (derived(str)("a"), "wrap it in str()"),
        (Point(1, 2), "use keys of these types"),  # a tuple is no key either
        ((1, 2), "use keys of these types"),
        (1.5, "use keys of these types"),
    ],
)
def test_a_key_gets_advice_that_fits_keys(key, advice):
    for send in (plain.copy, lambda v: list(frames.encode(1, v))):
        with pytest.raises(NotPlainData) as caught:
            send({key: 1})
        assert str(caught.value).endswith(f"; expected str, int or bool; {advice}")


def test_only_the_type_is_looked_at():
    """An object that claims another class, and answers whatever is asked, is asked nothing"""
    asked = []

    class Liar(dict):
        def __getattribute__(self, name):
            asked.append(name)
            return super().__getattribute__(name)

        @property
        def __class__(self):
            asked.append("__class__")
            return np.float64

        def __iter__(self):
            asked.append("__iter__")
            return super().__iter__()

        def __repr__(self):
            asked.append("__repr__")
            return "1.0"

    with pytest.raises(NotPlainData, match=r"; wrap it in dict\(\)$"):
        plain.refuse(Liar(), "value")
    assert asked == []


def test_a_metaclass_is_asked_nothing():
    class Equal(type):
        def __eq__(cls, other):
            raise AssertionError("asked")

        __hash__ = type.__hash__

    class Odd(metaclass=Equal):
        pass

    with pytest.raises(NotPlainData, match=r"expected plain data [^;]*$"):
        plain.copy(Odd())
