"""Frames: plain data survives a round trip, and anything else is refused."""

import os
import random
import struct
import tracemalloc

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from assignment import plain
from grader import wire
from grader.wire import Caps, FrameError
from tests.fuzz.check import steps

quick = settings(
    max_examples=150,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
TORCH_DTYPES = sorted(wire._TENSOR_DTYPES.values(), key=str)
NUMPY_DTYPES = sorted(wire._NUMPY_DTYPES.values(), key=str)


def pack(value, call_id=7):
    """A frame's header and body, as the other end receives them."""
    data = b"".join(bytes(part) for part in wire.encode(call_id, value))
    return data[: wire.HEADER.size], data[wire.HEADER.size :]


def body_of(data: bytes) -> memoryview:
    body = wire.new_body(len(data))
    body[:] = data
    return body


def round_trip(value):
    header, data = pack(value)
    assert wire.decode_header(header) == (7, len(data))
    return wire.decode(body_of(data))


def same(a, b) -> bool:
    """Same type, same value, bit for bit."""
    if isinstance(a, tuple | list):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return type(b) is dict and list(a) == list(b) and all(same(a[k], b[k]) for k in a)
    if isinstance(a, torch.Tensor):
        return (
            type(b) is torch.Tensor
            and (a.dtype, a.shape) == (b.dtype, b.shape)
            and raw(a) == raw(b)
            and b.is_contiguous()
        )
    if isinstance(a, np.ndarray):
        return (
            type(b) is np.ndarray
            and (a.dtype, a.shape) == (b.dtype, b.shape)
            and a.tobytes() == b.tobytes()
        )
    if isinstance(a, float):
        return type(b) is float and struct.pack("d", a) == struct.pack("d", b)
    return type(a) is type(b) and a == b


def raw(tensor: torch.Tensor) -> bytes:
    flat = tensor.detach().resolve_conj().resolve_neg().contiguous().reshape(-1)
    return flat.view(torch.uint8).numpy().tobytes() if flat.numel() else b""


@st.composite
def tensors(draw):
    dtype = draw(st.sampled_from(TORCH_DTYPES))
    shape = draw(st.lists(st.integers(0, 4), max_size=4))
    count = int(np.prod(shape, dtype=int))
    data = draw(st.binary(min_size=count * dtype.itemsize, max_size=count * dtype.itemsize))
    if dtype is torch.bool:
        data = bytes(b & 1 for b in data)
    if not count:
        return torch.empty(shape, dtype=dtype)
    return torch.frombuffer(bytearray(data), dtype=dtype).reshape(shape)


arrays = st.sampled_from(NUMPY_DTYPES).flatmap(
    lambda dtype: hnp.arrays(
        dtype, hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4)
    )
)
keys = st.text(max_size=5) | st.integers(-(2**63), 2**63 - 1) | st.booleans()
scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-(2**4000), 2**4000)
    | st.floats(allow_nan=True)
    | st.text(max_size=10)
    | st.binary(max_size=10)
    | st.sampled_from(list(wire._TORCH_NAMES))
    | st.sampled_from(NUMPY_DTYPES)
)
values = st.recursive(
    scalars | tensors() | arrays,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(keys, inner, max_size=4)
    ),
    max_leaves=12,
)

# --- round trips -----------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:ComplexHalf")
@quick
@given(values)
def test_plain_data_comes_back_exactly(value):
    assert same(value, round_trip(value))


@pytest.mark.filterwarnings("ignore:ComplexHalf")
@pytest.mark.parametrize("dtype", TORCH_DTYPES, ids=str)
def test_every_tensor_dtype_comes_back_at_every_size(dtype):
    for shape in [(), (0,), (1,), (3, 0, 2), (7, 5), (1023,), (2, 3, 1025)]:
        count = int(np.prod(shape, dtype=int)) * dtype.itemsize
        data = bytes(b & 1 for b in os.urandom(count)) if dtype is torch.bool else os.urandom(count)
        tensor = (
            torch.frombuffer(bytearray(data), dtype=dtype).reshape(shape)
            if count
            else torch.empty(shape, dtype=dtype)
        )
        assert same(tensor, round_trip(tensor))
        assert same([b"odd", tensor, tensor], round_trip([b"odd", tensor, tensor]))


@pytest.mark.parametrize("dtype", NUMPY_DTYPES, ids=str)
def test_every_array_dtype_comes_back_at_every_size(dtype):
    for shape in [(), (0,), (1,), (3, 0, 2), (7, 5), (1023,), (2, 3, 1025)]:
        count = int(np.prod(shape, dtype=int)) * dtype.itemsize
        data = bytes(b & 1 for b in os.urandom(count)) if dtype.kind == "b" else os.urandom(count)
        array = np.frombuffer(data, dtype=dtype).reshape(shape)
        assert same(array, round_trip(array))


def test_dtypes_of_torch_survive_a_round_trip():
    assert torch.bfloat16 in TORCH_DTYPES
    assert torch.float8_e4m3fn in TORCH_DTYPES
    assert torch.complex128 in TORCH_DTYPES
    assert len(NUMPY_DTYPES) == 14
    for dtype in wire._TORCH_NAMES:
        assert round_trip(dtype) is dtype


@pytest.mark.parametrize(
    "tensor",
    [
        torch.arange(24).reshape(4, 6).t(),
        torch.arange(24)[::3],
        torch.arange(4).expand(5, 4),
        torch.arange(24.0).reshape(2, 3, 4).permute(2, 0, 1),
        torch.complex(torch.ones(3), torch.ones(3)).conj(),
        torch.complex(torch.ones(3), torch.ones(3)).conj().imag,
        torch.ones(3, requires_grad=True),
        torch.nn.Parameter(torch.ones(2)),
        torch.ones(0, 2**30),
    ],
    ids=["t", "step", "expand", "permute", "conj", "neg", "grad", "parameter", "empty"],
)
def test_tensor_of_any_layout_arrives_dense_and_by_value(tensor):
    back = round_trip(tensor)
    assert type(back) is torch.Tensor
    assert not back.requires_grad
    assert back.is_contiguous()
    assert torch.equal(back, tensor.detach().resolve_conj().resolve_neg())


def test_array_of_any_layout_and_byte_order_arrives_by_value():
    base = np.arange(24, dtype=np.int32).reshape(4, 6)
    for array in (base.T, base[::2, ::-1], np.asfortranarray(base), base.astype(">i4")):
        back = round_trip(array)
        assert back.dtype == np.dtype("<i4")
        np.testing.assert_array_equal(back, array)


def test_long_and_int_codes_of_one_width_arrive_as_int64():
    for code in ("l", "q"):
        assert round_trip(np.zeros(2, dtype=code)).dtype == np.int64


def test_size_becomes_a_tuple():
    assert same(round_trip(torch.Size([2, 3])), (2, 3))


def test_one_object_in_two_places_arrives_as_two():
    """Decoded tensors and lists share nothing with each other, nor with the encoded value."""
    tensor, inner = torch.zeros(2000), [1]
    a, b, c, d = round_trip([tensor, tensor, inner, inner])
    a += 1
    c.append(2)
    assert same(b, torch.zeros(2000))
    assert same(tensor, torch.zeros(2000))
    assert (d, inner) == ([1], [1])


def test_views_of_one_storage_arrive_apart():
    base = torch.zeros(3000)
    a, b = round_trip([base[:2000], base[1000:]])
    a += 1
    assert not b.any()


def test_decoded_arrays_are_writable():
    tensor, array = round_trip([torch.zeros(5000), np.zeros(5000)])
    tensor += 1
    array += 1


def test_bool_bytes_other_than_0_and_1_become_1():
    _, data = pack(torch.tensor([True, False, True]))
    tensor = wire.decode(body_of(data[:-3] + b"\x02\x00\xff"))
    assert raw(tensor) == b"\x01\x00\x01"
    _, data = pack(np.array([True, False, True]))
    assert wire.decode(body_of(data[:-3] + b"\x02\x00\xff")).tobytes() == b"\x01\x00\x01"


def test_large_tensor_is_not_copied():
    tensor = torch.zeros(2**20)
    parts = wire.encode(1, tensor)
    assert any(memoryview(part).nbytes == tensor.nbytes for part in parts)
    tracemalloc.start()
    try:
        wire.encode(1, tensor)
        assert tracemalloc.get_traced_memory()[1] < 100_000
    finally:
        tracemalloc.stop()


# --- what cannot be sent -----------------------------------------------------------------------


class EvilInt(int):
    def __eq__(self, other):
        return True

    __hash__ = int.__hash__


class EvilStr(str):
    def __eq__(self, other):
        return True

    __hash__ = str.__hash__


class EvilTensor(torch.Tensor):
    pass


class EvilArray(np.ndarray):
    pass


UNSENDABLE = {
    "int subclass": EvilInt(1),
    "str subclass": EvilStr("a"),
    "tensor subclass": torch.zeros(2).as_subclass(EvilTensor),
    "array subclass": np.zeros(2).view(EvilArray),
    "list subclass": type("L", (list,), {})([1]),
    "dict subclass": type("D", (dict,), {})(),
    "numpy scalar": np.float32(1.0),
    "set": {1},
    "object": object(),
    "function": len,
    "complex": 1j,
    "generator": (i for i in ()),
    "array of objects": np.array([object()]),
    "structured array": np.zeros(1, dtype=[("a", "i4")]),
    "array of str": np.array(["a"]),
    "masked": np.ma.zeros(2),
    "meta tensor": torch.zeros(2, device="meta"),
    "sparse tensor": torch.zeros(2, 2).to_sparse(),
    "lone surrogate": "\ud800",
    "huge int": 1 << 5000,
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", UNSENDABLE)
def test_value_that_is_not_plain_data_is_refused_at_any_depth(name):
    evil = UNSENDABLE[name]
    for value in (evil, [1, evil], (evil,), {"a": [evil]}):
        with pytest.raises(plain.NotPlainData):
            wire.encode(1, value)


def test_keys_are_exact_str_or_int_of_64_bits():
    for key in (1.5, None, (1,), EvilStr("a"), EvilInt(1), 2**63, -(2**63) - 1):
        with pytest.raises(plain.NotPlainData):
            wire.encode(1, {key: 1})
    assert round_trip({2**63 - 1: 1, -(2**63): 2}) == {2**63 - 1: 1, -(2**63): 2}


def test_caps_hold_for_encoding():
    nested = []
    for _ in range(40):
        nested = [nested]
    for value, caps in [
        (nested, Caps()),
        ([1] * 11, Caps(items=10)),
        (b"x" * 100, Caps(size=50)),
        (torch.zeros(5000), Caps(size=10_000)),
        (2**200, Caps(integer=10)),
    ]:
        with pytest.raises(plain.NotPlainData):
            wire.encode(1, value, caps=caps)
    loop: list = []
    loop.append(loop)
    with pytest.raises(plain.NotPlainData, match="nested more than"):
        wire.encode(1, loop)


def test_message_names_the_place_and_the_type_not_the_value():
    with pytest.raises(plain.NotPlainData) as caught:
        wire.encode(1, {"grads": [1, EvilStr("the secret")]}, "what f returned")
    assert "what f returned['grads'][1] is an object of type" in str(caught.value)
    assert "the secret" not in str(caught.value)


# --- what cannot be read -----------------------------------------------------------------------


def read(data: bytes, caps: Caps = wire.DEFAULT_CAPS):
    """The decoded value, which must be plain data; None after a FrameError, the only error."""
    try:
        value = wire.decode(body_of(data), caps)
    except FrameError:
        return None
    plain.copy(value)
    return value


@quick
@given(st.binary(max_size=200))
def test_random_bytes_raise_only_frame_errors(data):
    read(data)


TAGS = b"NTFidIsb[({taDn"


@quick
@given(st.lists(st.sampled_from(TAGS) | st.integers(0, 4), max_size=60).map(bytes))
def test_random_tags_raise_only_frame_errors(data):
    read(data)


@pytest.mark.filterwarnings("ignore:ComplexHalf")
@quick
@given(values, st.randoms(use_true_random=False))
def test_mutated_frames_raise_only_frame_errors(value, rnd: random.Random):
    data = bytearray(pack(value)[1])
    for _ in range(rnd.randint(1, 4)):
        at = rnd.randrange(len(data)) if data else 0
        match rnd.randrange(5):
            case 0:
                data[at:] = b""
            case 1 if data:
                data[at] = rnd.randrange(256)
            case 2:
                data[at : at + rnd.randint(1, 8)] = b"\xff" * rnd.randint(1, 8)
            case 3:
                data[at:at] = rnd.randbytes(rnd.randint(1, 9))
            case _:
                data += rnd.randbytes(3)
    read(bytes(data))


@pytest.mark.filterwarnings("ignore:ComplexHalf")
@quick
@given(values)
def test_every_truncation_is_an_error(value):
    data = pack(value)[1]
    for end in range(0, len(data), max(1, len(data) // 40)):
        with pytest.raises(FrameError):
            wire.decode(body_of(data[:end]))
    with pytest.raises(FrameError, match="left over"):
        wire.decode(body_of(data + b"N"))


def count(n: int) -> bytes:
    return struct.pack("<I", n)


def tensor_body(name: bytes, shape: tuple[int, ...], size: int, data: bytes = b"") -> bytes:
    tag = b"a" if name.startswith((b"<", b"|")) else b"t"
    head = tag + count(len(name)) + name + bytes([len(shape)])
    head += b"".join(struct.pack("<Q", n) for n in shape) + struct.pack("<Q", size)
    return head + bytes(-len(head) % wire.ALIGNMENT) + data


HOSTILE = {
    "empty": b"",
    "unknown tag": b"Z",
    "pickle": b"\x80\x04\x95\x0c\x00\x00\x00\x00\x00\x00\x00\x8c\x02os\x94.",
    "list of 4 billion": b"[" + count(2**32 - 1),
    "list of 4 billion and some": b"[" + count(2**32 - 1) + b"N" * 100,
    "tuple of 4 billion": b"(" + count(2**32 - 1),
    "dict of 4 billion": b"{" + count(2**32 - 1),
    "bytes of 4 billion": b"b" + count(2**32 - 1),
    "str of 4 billion": b"s" + count(2**32 - 1),
    "deep lists": b"[\x01\x00\x00\x00" * 5000 + b"N",
    "deep dicts": (b"{\x01\x00\x00\x00N") * 5000 + b"N",
    "long integer": b"I" + count(600) + b"\xff" * 600,
    "str that is no UTF-8": b"s" + count(2) + b"\xff\xfe",
    "surrogate": b"s" + count(3) + b"\xed\xa0\x80",
    "key that is a list": b"{" + count(1) + b"[" + count(0) + b"N",
    "key that is a float": b"{" + count(1) + b"d" + bytes(8) + b"N",
    "key that is a tensor": b"{" + count(1) + tensor_body(b"uint8", (1,), 1, b"a") + b"N",
    "key twice": b"{" + count(2) + b"TNTN",
    "key twice as bool and int": b"{" + count(2) + b"TNi" + struct.pack("<q", 1) + b"N",
    "key of 80 bits": b"{" + count(1) + b"I" + count(10) + b"\x01" * 10 + b"N",
    "unknown dtype": b"D" + count(5) + b"float",
    "dtype by path": b"D" + count(9) + b"os.system",
    "object dtype": b"n" + count(2) + b"|O",
    "tensor of an unknown dtype": tensor_body(b"qint8", (1,), 1, b"a"),
    "array of objects": tensor_body(b"|O", (1,), 8, bytes(8)),
    "tensor of 65 dimensions": tensor_body(b"uint8", (1,) * 65, 1, b"a"),
    "tensor of 255 dimensions": tensor_body(b"uint8", (1,) * 255, 1, b"a"),
    "shape that overflows": tensor_body(b"uint8", (2**63, 2), 0),
    "shape that wraps to its size": tensor_body(b"uint8", (2**32, 2**32), 0),
    "shape that wraps to 16": tensor_body(b"float32", (2**62 + 1, 4), 16, bytes(16)),
    "empty with a huge side": tensor_body(b"uint8", (0, 2**63), 0),
    "empty with huge sides": tensor_body(b"uint8", (0, 2**39, 2**39, 2**39), 0),
    "shape larger than its bytes": tensor_body(b"float32", (100,), 4, bytes(4)),
    "shape smaller than its bytes": tensor_body(b"float32", (1,), 400, bytes(400)),
    "bytes that are not there": tensor_body(b"uint8", (2**31,), 2**31),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_body_is_refused_without_allocating(name):
    body = body_of(HOSTILE[name])
    tracemalloc.start()
    try:
        with pytest.raises(FrameError):
            wire.decode(body)
        assert tracemalloc.get_traced_memory()[1] < 200_000
    finally:
        tracemalloc.stop()


@pytest.mark.filterwarnings("ignore:ComplexHalf")
@pytest.mark.parametrize("dtype", [*TORCH_DTYPES, *NUMPY_DTYPES], ids=str)
def test_empty_tensor_of_any_shape_is_read_or_refused(dtype):
    name = dtype.str if isinstance(dtype, np.dtype) else str(dtype).removeprefix("torch.")
    for shape in [
        (0,),
        (0, 2**39),
        (2**39, 0),
        (0, 2**39, 2**20),
        (0, 2**39, 2**20, 1),
        (2**30, 2**29, 0),
        (0,) * 64,
        (1,) * 63 + (0,),
    ]:
        value = read(tensor_body(name.encode(), shape, 0))
        assert value is None or tuple(value.shape) == shape


def test_error_never_repeats_what_the_frame_held():
    for data in (b"s" + count(9) + b"SECRET\xff\xff\xff", b"D" + count(6) + b"SECRET", b"SECRET"):
        with pytest.raises(FrameError) as caught:
            wire.decode(body_of(data))
        assert "SECRET" not in repr(caught.value)


def test_caps_hold_for_decoding():
    items = b"[" + count(50) + b"N" * 50
    assert read(items, Caps(items=51)) == [None] * 50
    with pytest.raises(FrameError, match="more than 50 values"):
        wire.decode(body_of(items), Caps(items=50))
    deep = b"[\x01\x00\x00\x00" * 5 + b"N"
    assert read(deep, Caps(depth=5)) == [[[[[None]]]]]
    with pytest.raises(FrameError, match="nested more than 4 deep"):
        wire.decode(body_of(deep), Caps(depth=4))


def test_header_is_read_under_the_cap():
    good = wire.HEADER.pack(wire.MAGIC, 3, 100)
    assert wire.decode_header(good) == (3, 100)
    assert wire.decode_header(good, Caps(size=100)) == (3, 100)
    for header, words in [
        (good[:-1], "cut short"),
        (b"", "cut short"),
        (good + b"x", "cut short"),
        (b"X" + good[1:], "magic number"),
        (wire.HEADER.pack(wire.MAGIC, 3, 2**64 - 1), "larger than"),
        (wire.HEADER.pack(wire.MAGIC, 3, wire.DEFAULT_CAPS.size + 1), "larger than"),
    ]:
        with pytest.raises(FrameError, match=words):
            wire.decode_header(header)


def test_integers_that_hash_alike_cannot_stall_the_reader():
    """Python's hash of an int repeats every 2**61 - 1: 100 000 such keys would take minutes.

    The first of them is refused before the value behind it, which has an unknown tag, is read.
    """
    key = (9 * (2**61 - 1)).to_bytes(16, "little", signed=True)
    data = b"{" + count(2) + (b"I" + count(16) + key + b"?") * 2
    with pytest.raises(FrameError, match="64 bits"):
        wire.decode(body_of(data))
    # Within 64 bits only few integers have the same hash.
    alike = [i * (2**61 - 1) for i in range(-4, 5)]
    assert round_trip(dict.fromkeys(alike)) == dict.fromkeys(alike)


def test_steps_of_decoding_grow_linearly_with_the_number_of_values():
    def decode(many):
        data = b"[" + count(many) + b"N" * many
        assert len(wire.decode(body_of(data))) == many

    assert steps(decode, 99_999) < 110 * steps(decode, 999)
    decode(999_999)
