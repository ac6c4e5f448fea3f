"""Malformed frames: each is refused with a FrameError, and early.

`tests/harness/test_fuzz.py` reads random ones, and counts the judge's steps.
"""

import struct
import tracemalloc

import numpy as np
import pytest
import torch

from assignment.calls import plain
from grader.wire import frames
from grader.wire.frames import Caps, FrameError
from tests.harness.wire.frames import NUMPY_DTYPES, TORCH_DTYPES, body_of, pack, round_trip


def read(data: bytes, caps: Caps = frames.DEFAULT_CAPS):
    """The decoded value, which must be plain data; None after a FrameError, the only error."""
    try:
        value = frames.decode(body_of(data), caps)[0]
    except FrameError:
        return None
    plain.copy(value)
    return value


def count(n: int) -> bytes:
    return struct.pack("<I", n)


def tensor_body(name: bytes, shape: tuple[int, ...], size: int, data: bytes = b"") -> bytes:
    tag = b"a" if name.startswith((b"<", b"|")) else b"t"
    head = tag + count(len(name)) + name + bytes([len(shape)])
    head += b"".join(struct.pack("<Q", n) for n in shape) + struct.pack("<Q", size)
    return head + bytes(-len(head) % frames.ALIGNMENT) + data


HOSTILE = {
    "empty": b"",
    "unknown tag": b"Z",
    "pickle": b"\x80\x04\x95\x0c\x00\x00\x00\x00\x00\x00\x00\x8c\x02os\x94.",
    "list of 4 billion": b"[" + count(2**32 - 1),
    "dict of 4 billion": b"{" + count(2**32 - 1),
    "str of 4 billion": b"s" + count(2**32 - 1),
    "deep lists": b"[\x01\x00\x00\x00" * 5000 + b"N",
    "deep dicts": (b"{\x01\x00\x00\x00N") * 5000 + b"N",
    "long integer": b"I" + count(600) + b"\xff" * 600,
    "str that is no UTF-8": b"s" + count(2) + b"\xff\xfe",
    "surrogate": b"s" + count(3) + b"\xed\xa0\x80",
    "key that is a list": b"{" + count(1) + b"[" + count(0) + b"N",
    "key that is a float": b"{" + count(1) + b"d" + bytes(8) + b"N",
    "key twice": b"{" + count(2) + b"TNTN",
    "key twice as bool and int": b"{" + count(2) + b"TNi" + struct.pack("<q", 1) + b"N",
    "key of 80 bits": b"{" + count(1) + b"I" + count(10) + b"\x01" * 10 + b"N",
    "unknown dtype": b"D" + count(5) + b"float",
    "dtype by path": b"D" + count(9) + b"os.system",
    "object dtype": b"n" + count(2) + b"|O",
    "tensor of an unknown dtype": tensor_body(b"qint8", (1,), 1, b"a"),
    "array of objects": tensor_body(b"|O", (1,), 8, bytes(8)),
    "tensor of 65 dimensions": tensor_body(b"uint8", (1,) * 65, 1, b"a"),
    "shape that overflows": tensor_body(b"uint8", (2**63, 2), 0),
    "shape that wraps to its size": tensor_body(b"uint8", (2**32, 2**32), 0),
    "shape that wraps to 16": tensor_body(b"float32", (2**62 + 1, 4), 16, bytes(16)),
    "empty with a huge side": tensor_body(b"uint8", (0, 2**63), 0),
    "empty with huge sides": tensor_body(b"uint8", (0, 2**39, 2**39, 2**39), 0),
    "empty with many lists": tensor_body(b"uint8", (2**20, 0), 0),
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
            frames.decode(body)
        assert tracemalloc.get_traced_memory()[1] < 200_000
    finally:
        tracemalloc.stop()


@pytest.mark.filterwarnings("ignore:ComplexHalf")
@pytest.mark.parametrize("dtype", [*TORCH_DTYPES, *NUMPY_DTYPES], ids=str)
def test_empty_tensor_of_any_shape_is_read_or_refused(dtype):
    name = dtype.str if isinstance(dtype, np.dtype) else str(dtype).removeprefix("torch.")
    for shape in [
        (0,),
        (0, 2**19),
        (2**19, 0),
        (0, 2**39, 2**20, 1),
        (2**30, 2**29, 0),
        (0,) * 64,
        (1,) * 63 + (0,),
    ]:
        value = read(tensor_body(name.encode(), shape, 0))
        assert (None if value is None else tuple(value.shape)) == (
            shape if max(shape) < 2**20 else None
        )


def test_caps_hold_for_decoding():
    items = b"[" + count(50) + b"N" * 50
    assert read(items, Caps(items=51)) == [None] * 50
    with pytest.raises(FrameError, match="more than 50 values"):
        frames.decode(body_of(items), Caps(items=50))
    deep = b"[\x01\x00\x00\x00" * 5 + b"N"
    assert read(deep, Caps(depth=5)) == [[[[[None]]]]]
    with pytest.raises(FrameError, match="nested more than 4 deep"):
        frames.decode(body_of(deep), Caps(depth=4))
    _, tensors = pack([torch.zeros(0), np.zeros(0)])
    assert len(frames.decode(body_of(tensors), Caps(tensors=2))[0]) == 2
    with pytest.raises(FrameError, match="more than 1 tensors"):
        frames.decode(body_of(tensors), Caps(tensors=1))


def test_header_is_read_under_the_cap():
    good = frames.HEADER.pack(frames.MAGIC, 3, 100)
    assert frames.decode_header(good) == (3, 100)
    assert frames.decode_header(good, Caps(size=100)) == (3, 100)
    for header, words in [
        (good[:-1], "cut short"),
        (b"", "cut short"),
        (good + b"x", "cut short"),
        (b"X" + good[1:], "magic number"),
        (frames.HEADER.pack(frames.MAGIC, 3, 2**64 - 1), "larger than"),
        (frames.HEADER.pack(frames.MAGIC, 3, frames.DEFAULT_CAPS.size + 1), "larger than"),
    ]:
        with pytest.raises(FrameError, match=words):
            frames.decode_header(header)


def test_integers_that_hash_alike_cannot_stall_the_reader():
    """Python's hash of an int repeats every 2**61 - 1: 100 000 such keys would take minutes.

    The first of them is refused before the value behind it, which has an unknown tag, is read.
    """
    key = (9 * (2**61 - 1)).to_bytes(16, "little", signed=True)
    data = b"{" + count(2) + (b"I" + count(16) + key + b"?") * 2
    with pytest.raises(FrameError, match="64 bits"):
        frames.decode(body_of(data))
    # Within 64 bits only few integers have the same hash.
    alike = [i * (2**61 - 1) for i in range(-4, 5)]
    assert round_trip(dict.fromkeys(alike)) == dict.fromkeys(alike)
