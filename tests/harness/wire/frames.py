"""Frames for the tests of `grader/wire/frames.py`, and strategies for the values in them."""

import struct

import numpy as np
import torch
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from grader.wire import frames

quick = settings(
    max_examples=150,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
TORCH_DTYPES = sorted(frames.TENSOR_DTYPES.values(), key=str)
NUMPY_DTYPES = sorted(frames.NUMPY_DTYPES.values(), key=str)


def pack(value, call_id=7):
    """A frame's header and body, as the other end receives them."""
    data = b"".join(bytes(part) for part in frames.encode(call_id, value))
    return data[: frames.HEADER.size], data[frames.HEADER.size :]


def body_of(data: bytes) -> memoryview:
    body = frames.new_body(len(data))
    body[:] = data
    return body


def round_trip(value):
    header, data = pack(value)
    assert frames.decode_header(header) == (7, len(data))
    return frames.decode(body_of(data))


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
    | st.sampled_from(list(frames.TORCH_NAMES))
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
