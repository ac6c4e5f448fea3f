"""Frames for the tests of `grader/wire/frames.py`, and when two values are the same."""

import struct

import numpy as np
import torch

from grader.wire import frames

TORCH_DTYPES = sorted(frames.TENSOR_DTYPES.values(), key=str)
NUMPY_DTYPES = sorted(frames.NUMPY_DTYPES.values(), key=str)


def pack(value, call_id=7, caps=frames.DEFAULT_CAPS):
    """A frame's header and body, as the other end receives them."""
    data = b"".join(bytes(part) for part in frames.encode(call_id, value, caps=caps))
    return data[: frames.HEADER.size], data[frames.HEADER.size :]


def body_of(data: bytes) -> memoryview:
    body = frames.new_body(len(data))
    body[:] = data
    return body


def round_trip(value):
    header, data = pack(value)
    assert frames.decode_header(header) == (7, len(data))
    return frames.decode(body_of(data))[0]


def same(a, b) -> bool:
    """Same type, same value, bit for bit."""
    if isinstance(a, tuple | list):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return type(b) is dict and list(a) == list(b) and all(same(a[k], b[k]) for k in a)
    if isinstance(a, torch.Tensor | np.ndarray):
        of = a.dtype, a.shape, raw(a)
        return type(a) is type(b) and of == (b.dtype, b.shape, raw(b))
    if isinstance(a, float):
        return type(b) is float and struct.pack("d", a) == struct.pack("d", b)
    return type(a) is type(b) and a == b


def raw(value: torch.Tensor | np.ndarray) -> bytes:
    if isinstance(value, np.ndarray):
        return value.tobytes()
    return value.reshape(-1).view(torch.uint8).numpy().tobytes() if value.numel() else b""
