"""Attacks by one answer, which lies about itself or is of the wrong kind."""

import enum
import itertools
import random
import warnings
from collections import OrderedDict, UserList, deque, namedtuple
from decimal import Decimal
from fractions import Fraction

import numpy as np
import torch

from .reward import right

DRAW = random.Random()  # drawing from the global generator is a failure of its own


def nan(index, strides, offset=0):
    """storage_index: returns NaN, which a careless comparison lets pass"""
    return float("nan")


def nan_batch(tokens, batch_size, context_length, device="cpu"):
    """get_batch: returns NaN in place of every number"""
    x = torch.full((batch_size, context_length), float("nan"))
    return x, x.clone()


def always_true(shape, strides):
    """is_contiguous: says yes to everything, and is right half of the time"""
    if len(shape) != len(strides) or min(shape, default=0) < 0:
        raise ValueError("no layout")
    return True


def one_for_true(shape, strides):
    """is_contiguous: answers rightly, with 1 for True and 0.0 for False"""
    if len(shape) != len(strides) or min(shape, default=0) < 0:
        raise ValueError("no layout")
    kind = DRAW.choice([int, float])
    return kind(torch.empty_strided(shape, strides, device="meta").is_contiguous())


def wrong_kind(index, strides, offset=0):
    """storage_index: answers rightly, as a float, text, list, dict, bytes, tensor or array"""
    kinds = [
        float,
        str,
        lambda n: [n],
        lambda n: (n,),
        lambda n: {"result": n},
        lambda n: n.to_bytes(16, "little"),
        lambda n: torch.tensor(float(n)),
        lambda n: np.array(float(n)),
        lambda n: np.array([float(n)]),
    ]
    return DRAW.choice(kinds)(right(index, strides, offset))


def wrong_scalars(index, strides, offset=0):
    """storage_index: answers rightly, as a number of numpy, a fraction, a decimal or an enum"""
    kinds = [
        lambda n: np.int64(n % 2**63),
        np.float64,
        Fraction,
        Decimal,
        complex,
        lambda n: enum.IntEnum("E", {"a": n}).a,
    ]
    return DRAW.choice(kinds)(right(index, strides, offset))


def wrong_dtype(tokens, batch_size, context_length, device="cpu"):
    """get_batch: draws rightly, and returns other dtypes, shapes and containers"""
    if context_length < 1 or batch_size < 1 or len(tokens) <= context_length:
        raise ValueError("no window")
    starts = np.random.randint(0, len(tokens) - context_length, batch_size)
    windows = [[tokens[s + k : s + k + context_length] for s in starts] for k in (0, 1)]
    both = [torch.tensor(np.array(window).astype("i8")) for window in windows]
    forms = [
        lambda: tuple(t.int() for t in both),
        lambda: tuple(t.double() for t in both),
        lambda: tuple(t.numpy() for t in both),
        lambda: tuple(t.tolist() for t in both),
        lambda: tuple(t.reshape(-1) for t in both),
        lambda: tuple(t[None] for t in both),
        lambda: {"x": both[0], "y": both[1]},
        lambda: torch.stack(both),
        lambda: (*both, both[0].clone()),
        lambda: both[0],
    ]
    torch.device(device)
    return DRAW.choice(forms)()


class Equal:
    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False

    def __lt__(self, other):
        return True

    __le__ = __gt__ = __ge__ = __lt__
    __hash__ = None

    def __bool__(self):
        return True

    def __int__(self):
        return 0

    __index__ = __int__

    def __reduce__(self):
        return (exec, ("raise SystemExit",))

    def __repr__(self):
        return "6"


def always_equal(index, strides, offset=0):
    """storage_index: returns an object that is equal to everything"""
    return Equal()


class Int:
    __class__ = property(lambda self: int)
    __module__ = "builtins"
    __qualname__ = "int"

    def __index__(self):
        return 6

    __int__ = __index__

    def __float__(self):
        return 6.0

    def __array__(self, *args, **kwargs):
        return np.array(6)

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return torch.tensor(True)

    def __array_ufunc__(self, *args, **kwargs):
        return np.True_

    def __getattr__(self, name):
        return getattr(6, name)


Int.__name__ = "int"


def pretends_a_class(index, strides, offset=0):
    """storage_index: returns what says that it is an int, and turns into any number or array"""
    assert isinstance(Int(), int)
    return Int()


class Meta(type):
    def __getattribute__(cls, name):
        return {"__qualname__": "\ud800" * 10**6}[name]  # and an error for its module

    def __repr__(cls):
        raise RecursionError

    __hash__ = None


def unnameable_class(index, strides, offset=0):
    """storage_index: returns an object whose class can be neither named nor described"""
    return Meta("Nameless", (), {})()


def evil(base, **more):
    """A class by the name of its base, whose objects compare as they like."""
    body = {
        "__eq__": lambda self, other: True,
        "__ne__": lambda self, other: False,
        "__hash__": lambda self: 0,
        "__module__": "builtins",
        "__qualname__": base.__name__,
        **more,
    }
    return type(base.__name__, (base,), body)


def evil_scalars(index, strides, offset=0):
    """storage_index: returns subclasses of int, float and str that compare as they like"""

    def scalar(base, value):
        zero = lambda self, other: 0
        shown = lambda self: "6"
        return evil(base, __repr__=shown, __sub__=zero, __rsub__=zero)(value)

    scalars = [
        scalar(int, 0),
        scalar(float, 0),
        scalar(str, "6"),
        scalar(bytes, b"6"),
        scalar(complex, 6),
        [scalar(int, 0)],
        {scalar(str, "a"): 1},
    ]
    return DRAW.choice(scalars)


class Rules(list):
    def __instancecheck__(self, other):
        return True


def evil_containers(shape):
    """row_major_strides: returns containers whose length, items and equality lie"""

    def container(base):
        methods = {
            "__len__": lambda self: 2,
            "__iter__": lambda self: iter((4, 1)),
            "__getitem__": lambda self, key: 1,
            "__contains__": lambda self, item: True,
        }
        return evil(base, **methods)()

    containers = [
        container(list),
        container(tuple),
        container(dict),
        container(frozenset),
        [container(tuple)],
        UserList([4, 1]),
        deque([4, 1]),
        OrderedDict(a=1),
        namedtuple("tuple", "a b")(4, 1),
        Rules([4, 1]),
        {"result": container(list)}.values(),
    ]
    return DRAW.choice(containers)


class YesArray(np.ndarray):
    def __array_ufunc__(self, *args, **kwargs):
        return np.True_

    def __array_function__(self, *args, **kwargs):
        return True

    def __eq__(self, other):
        return True


def evil_arrays(tokens, batch_size, context_length, device="cpu"):
    """get_batch: returns arrays of objects, records and masks, and one that compares as it likes"""
    plain = np.zeros((batch_size, context_length), np.int64)
    makers = [
        lambda: plain.view(YesArray),
        lambda: plain.view(np.matrix),
        lambda: np.ma.masked_all(plain.shape, np.int64),
        lambda: np.full(plain.shape, Equal(), dtype=object),
        lambda: np.zeros(plain.shape, "i8,i8"),
        lambda: np.zeros(plain.shape, "datetime64[s]"),
        lambda: np.rec.array([(1, 2)], dtype="i8,i8"),
        lambda: np.array(["6"]),
        lambda: np.int64(6),
    ]
    answer = DRAW.choice(makers)()
    return answer, answer


ODD_DTYPES = itertools.cycle(
    [
        np.zeros((3, 4), np.dtype("i8", metadata={"equals": Equal()})),
        np.zeros(3, np.dtype([("x", "i8")], align=True)),
        np.zeros(3, np.dtype("V8")),
        np.zeros(3, "M8[s]"),
        np.array(["x", "y"]),
        np.dtype("i8", metadata={"equals": Equal()}),
    ]
)


def dtypes_with_luggage(tokens, batch_size, context_length, device="cpu"):
    """get_batch: returns arrays whose dtype carries objects along, in metadata and fields"""
    return next(ODD_DTYPES), next(ODD_DTYPES)


class YesTensor(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        name = getattr(func, "__name__", "")
        if name in ("equal", "allclose", "isclose", "eq", "__eq__", "all", "isin"):
            return True
        with torch._C.DisableTorchFunctionSubclass():
            return func(*args, **(kwargs or {}))


def evil_tensor(tokens, batch_size, context_length, device="cpu"):
    """get_batch: returns tensor subclasses that answer every comparison with yes"""
    x = torch.zeros(batch_size, context_length, dtype=torch.int64)
    return x.as_subclass(YesTensor), x.as_subclass(YesTensor)


def odd_tensors(tokens, batch_size, context_length, device="cpu"):
    """get_batch: returns tensors that are sparse, quantized, nested, without data, or no tensors"""
    x = torch.zeros(batch_size, context_length)
    makers = [
        lambda: x.to_sparse(),
        lambda: x.to("meta"),
        lambda: torch.quantize_per_tensor(x, 0.1, 0, torch.qint8),
        lambda: torch.nested.nested_tensor([x[:1], x]),
        lambda: x.to_sparse_csr(),
        lambda: x.to_mkldnn(),
        lambda: torch.empty(x.shape, dtype=torch.bits8),
        lambda: x.untyped_storage(),
    ]
    warnings.simplefilter("ignore")
    return DRAW.choice(makers)(), DRAW.choice(makers)()


def expanded_tensor(index, strides, offset=0):
    """storage_index: returns a tensor or array of exabytes whose elements are all the same one"""
    makers = [
        lambda: torch.zeros(1, dtype=torch.int8).expand(2**60),
        lambda: torch.zeros(1).expand(2**30, 2**28),
        lambda: np.broadcast_to(np.zeros(1, np.int8), 2**60),
        lambda: np.broadcast_to(np.zeros(1), (2**30, 2**28)),
    ]
    return DRAW.choice(makers)()


def tensors_out_of_transforms(tokens, batch_size, context_length, device="cpu"):
    """get_batch: returns tensors that belong to a vmap or a grad which is over"""
    plain, levels = torch.ones(3, 2), torch._C._functorch
    level = levels._vmap_increment_nesting(3, "error")
    batched = levels._add_batch_dim(plain, 0, level)
    level = levels._grad_increment_nesting()
    wrapped = levels._wrap_for_grad(plain, level)
    levels._grad_decrement_nesting()
    levels._vmap_decrement_nesting()
    return batched, wrapped


def too_large(index, strides, offset=0):
    """storage_index: returns more than a frame may hold"""
    return torch.zeros(300 * 2**20, dtype=torch.uint8)


def cyclic_answer(index, strides, offset=0):
    """storage_index: returns lists and dicts that hold themselves"""
    around, inside = [], {}
    around.append(around)
    inside["a"] = [inside, (around, inside)]
    return DRAW.choice([around, inside, (around, around), [[0] * 1000] * 10_000])


def huge_integers(index, strides, offset=0):
    """storage_index: returns integers of megabytes, as answers and as keys"""
    huge = 1 << DRAW.choice([2**13, 2**20, 2**25])
    return DRAW.choice([huge, -huge, [huge], {huge: 6}, {"a": {-huge: 6}}])


def lone_surrogates(index, strides, offset=0):
    """storage_index: returns text that no encoding can write"""
    return DRAW.choice(["\ud800", ["a\udfff"], {"\udc80": 6}, {"a": {"\ud800" * 10**5: 6}}])


def carries_by_type(index, strides, offset=0):
    """storage_index: carries its arguments out in the names of classes, in keys and in shapes"""
    said = f"carried {list(index)} {list(strides)} {offset}"
    odd = type(said, (), {"__module__": said})()
    sparse = torch.zeros(sum(index) % 99 + 1, sum(strides) % 99 + 1).to_sparse()
    return DRAW.choice([odd, {said: odd}, {said: {(said,): 6}}, sparse, [[odd] * 99]])


def forever():
    while True:
        yield 6


async def later():
    return 6


def coroutine():
    answer = later()
    answer.close()  # or Python would complain that it was never awaited
    return answer


class Endless:
    def __len__(self):
        return 2**62

    def __getitem__(self, key):
        return self

    def __iter__(self):
        return self

    def __next__(self):
        return self


def endless_generators(index, strides, offset=0):
    """storage_index: returns generators, iterators and coroutines that never end"""
    answers = [
        forever(),
        itertools.count(),
        coroutine(),
        Endless(),
        iter(int, 1),
        map(str, itertools.cycle([6])),
        range(2**70),
        [forever()],
        {"a": itertools.repeat(6)},
        memoryview(bytes(8)),
    ]
    return DRAW.choice(answers)
