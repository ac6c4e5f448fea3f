"""Frames: plain data survives a round trip, and anything else cannot be sent."""

import os
import tracemalloc

import numpy as np
import pytest
import torch

from assignment.calls import plain
from grader.wire import arguments, frames
from grader.wire.frames import Caps
from tests.harness.conftest import long_unless
from tests.harness.wire.frames import (
    NUMPY_DTYPES,
    TORCH_DTYPES,
    body_of,
    pack,
    round_trip,
    same,
)

# --- round trips -----------------------------------------------------------------------------


VALUES = [
    *(None, True, False, 0, -1, 2**63 - 1, 2**63, -(2**63), -(2**63) - 1, -(2**4000)),
    *(0.0, -0.0, 1.5, float("inf"), float("nan"), "", "text", "é\0\U0001f600", b"", b"\xff\0"),
    *([], (), {}, [[], ((),), {"a": {}}], [1, (2.5, None)], {"a": (1, [True]), 7: "x", -3: b"y"}),
    *({True: False}, {"": [{"b": ()}]}, [torch.ones(2), (np.ones(3), {"w": torch.tensor(True)})]),
    *(list(frames.TORCH_NAMES), tuple(NUMPY_DTYPES)),
]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: repr(value)[:20])
def test_plain_data_comes_back_exactly_and_can_be_sent_back(value):
    back = round_trip(value)
    assert same(value, back)
    arguments.encode(1, ([back], {"state": back}))


def nested(depth):
    return [nested(depth - 1)] if depth else []


LARGEST = [
    lambda caps: nested(caps.depth),
    lambda caps: -(2 ** (8 * caps.integer - 1)),
    lambda caps: 2 ** (8 * caps.integer - 1) - 1,
    lambda caps: [None] * (caps.items - 1),
    lambda caps: [torch.zeros(1)] * caps.tensors,
    lambda caps: torch.zeros(caps.size - 100, dtype=torch.uint8),
    lambda caps: np.zeros((caps.items - 1, 0)),
    lambda _: {"\udfff".encode(errors="surrogatepass").decode(errors="replace") * 1000: {True: ()}},
]


@pytest.mark.parametrize("share", long_unless([50, 1], 50))
@pytest.mark.parametrize("value", LARGEST)
def test_largest_answers_can_be_sent_back_among_other_arguments(value, share):
    """Or a test that does so would fail, and not the submission"""
    usual = Caps()
    assert Caps(*(2 * cap for cap in usual)) == arguments.ARGUMENT_CAPS
    caps = usual._replace(
        size=usual.size // share, items=usual.items // share, tensors=usual.tensors // share
    )
    header, data = pack(value(caps), caps=caps)
    frames.decode_header(header, caps)
    answer = frames.decode(body_of(data), caps)[0]
    given = "state", [answer], {"more": 1}
    arguments.encode(1, given, caps=Caps(*(2 * cap for cap in caps)))
    assert plain.copy_arguments((answer, [answer]), "arguments")


@pytest.mark.filterwarnings("ignore:ComplexHalf")
@pytest.mark.parametrize("dtype", [*TORCH_DTYPES, *NUMPY_DTYPES], ids=str)
def test_every_dtype_comes_back_at_every_size(dtype):
    for shape in [(), (0,), (1,), (3, 0, 2), (7, 5), (1023,), (2, 3, 1025)]:
        data = bytearray(os.urandom(int(np.prod(shape, dtype=int)) * dtype.itemsize))
        if dtype in (torch.bool, np.dtype(bool)):
            data = bytearray(b & 1 for b in data)
        if isinstance(dtype, np.dtype):
            value = np.frombuffer(data, dtype=dtype).reshape(shape)
        elif data:
            value = torch.frombuffer(data, dtype=dtype).reshape(shape)
        else:
            value = torch.empty(shape, dtype=dtype)
        back = round_trip([b"odd", value, value])
        assert same([b"odd", value, value], back)
        if data and shape:
            back[1][0] = 0  # it is writable
            assert same(value, back[2])


def test_dtypes_of_today_are_known():
    assert {torch.bfloat16, torch.float8_e4m3fn, torch.complex128} <= set(TORCH_DTYPES)
    assert len(NUMPY_DTYPES) == 14


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
        torch.ones(0, 999_000),
        torch.arange(24)[::3][:1],
        torch.arange(4).expand(3, 4)[:1, 2:3].unsqueeze(0),
    ],
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
    for code in ("l", "q"):  # of one width
        assert round_trip(np.zeros(2, dtype=code)).dtype == np.int64


def test_size_becomes_a_tuple():
    assert same(round_trip(torch.Size([2, 3])), (2, 3))


def test_one_object_in_two_places_arrives_as_two():
    """Decoded tensors and lists share nothing with each other, nor with the encoded value."""
    tensor, inner = torch.zeros(3000), [1]
    a, b, c, d = round_trip([tensor[:2000], tensor[1000:], inner, inner])
    a += 1
    c.append(2)
    assert not b.any()
    assert not tensor.any()
    assert (d, inner) == ([1], [1])


@pytest.mark.parametrize(("make", "byte"), [(torch.tensor, torch.uint8), (np.array, np.uint8)])
def test_bool_bytes_other_than_0_and_1_become_1(make, byte):
    _, data = pack(make([True, False, True]))
    assert frames.decode(body_of(data[:-3] + b"\x02\x00\xff"))[0].view(byte).tolist() == [1, 0, 1]


def test_large_tensor_is_not_copied():
    tensor = torch.zeros(2**20)
    parts = frames.encode(1, tensor)
    assert any(memoryview(part).nbytes == tensor.nbytes for part in parts)
    tracemalloc.start()
    try:
        frames.encode(1, tensor)
        assert tracemalloc.get_traced_memory()[1] < 100_000
    finally:
        tracemalloc.stop()


# --- what cannot be sent -----------------------------------------------------------------------


# Other kinds are in `tests/harness/assignment/test_plain.py`.
UNSENDABLE = {
    "complex": 1j,
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
            frames.encode(1, value)


def test_keys_that_are_integers_have_at_most_64_bits():
    for key in (None, 2**63, -(2**63) - 1):
        with pytest.raises(plain.NotPlainData):
            frames.encode(1, {key: 1})
    assert round_trip({2**63 - 1: 1, -(2**63): 2}) == {2**63 - 1: 1, -(2**63): 2}


def test_caps_hold_for_encoding():
    for value, caps in [
        (nested(40), Caps()),
        ([1] * 11, Caps(items=10)),
        (b"x" * 100, Caps(size=50)),
        (torch.zeros(5000), Caps(size=10_000)),
        (2**200, Caps(integer=10)),
        ([torch.zeros(0), np.zeros(0)], Caps(tensors=1)),
    ]:
        with pytest.raises(plain.NotPlainData):
            frames.encode(1, value, caps=caps)
    loop: list = []
    loop.append(loop)
    with pytest.raises(plain.NotPlainData, match="nested more than"):
        frames.encode(1, loop)


def test_message_names_the_place_and_the_type_not_the_value():
    with pytest.raises(plain.NotPlainData) as caught:
        frames.encode(1, {"grads": [1, {"the secret"}]}, "what f returned")
    assert "what f returned['grads'][1] is an object of type" in str(caught.value)
    assert "the secret" not in str(caught.value)
