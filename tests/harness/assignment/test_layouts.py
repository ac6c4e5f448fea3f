"""Layouts: what arrives of tensors and arrays in arguments, over the wire and in a local run."""

from pathlib import Path

import numpy as np
import pytest
import torch

from assignment.calls import plain
from grader.wire import arguments as on_the_wire
from grader.wire import frames
from tests.harness.wire.frames import body_of


def over_the_wire(arguments):
    parts = on_the_wire.encode(1, arguments)
    return on_the_wire.decode(body_of(b"".join(map(bytes, parts[1:]))))


WAYS = {"wire": over_the_wire, "local": lambda arguments: plain.copy_arguments(arguments, "it")}
BASE = torch.arange(60.0).view(3, 4, 5)
TENSORS = {
    "contiguous": BASE,
    "transposed": BASE.transpose(0, 2),
    "a column": BASE[:, 1, 2],
    "every other": BASE[::2, :, ::2],
    "from an offset": BASE[1],
    "expanded": torch.arange(3.0)[:, None].expand(3, 4),
    "windows": torch.arange(9.0).unfold(0, 4, 1),
    "one element": BASE[2, 3, 4],
    "empty": BASE[:, 4:],
    "a parameter": torch.nn.Parameter(BASE[0]).T,
    "bool": (BASE > 7)[:, ::2],
    "bfloat16": BASE.to(torch.bfloat16).mT,
    "float8": BASE.to(torch.float8_e4m3fn)[..., 1],
    "complex": torch.complex(BASE, -BASE)[1:].mT,
    "conjugate": torch.complex(BASE, -BASE)[1:].mT.conj(),
    "int64": torch.arange(2**40, 2**40 + 30).view(5, 6)[:, 3:],
}
WIDE = np.arange(24, dtype=np.int32).reshape(4, 6)
ARRAYS = {
    "contiguous": WIDE,
    "of Fortran": np.asfortranarray(WIDE),
    "backwards": WIDE[::-1, ::-2],
    "broadcast": np.broadcast_to(WIDE[:, :1], (4, 9)),
    "one element": WIDE[3, 5:].reshape(()),
    "empty": WIDE[:, :0],
    "big-endian": WIDE.astype(">u2")[:, 1],
    "bool": (WIDE > 3)[1:, ::2],
    "complex": (WIDE * 1j)[:, ::3],
}


@pytest.fixture(params=WAYS.values(), ids=WAYS)
def send(request):
    return request.param


@pytest.mark.parametrize("sent", TENSORS.values(), ids=TENSORS)
def test_tensor_keeps_values_and_layout(send, sent):
    (found,) = send([sent])
    sent = sent.resolve_conj()  # which has another layout
    assert type(found) is torch.Tensor
    assert found.dtype == sent.dtype
    assert found.shape == sent.shape
    assert found.stride() == sent.stride()
    assert bool(found.storage_offset()) == bool(sent.storage_offset() and sent.numel())
    assert torch.equal(found.to(torch.complex64), sent.to(torch.complex64))
    assert not found.requires_grad


@pytest.mark.parametrize("sent", ARRAYS.values(), ids=ARRAYS)
def test_array_keeps_values_and_layout(send, sent):
    (found,) = send([sent])
    assert type(found) is np.ndarray
    assert found.dtype.str == sent.dtype.str
    assert found.shape == sent.shape
    assert found.strides == sent.strides or not sent.size
    assert found.tolist() == sent.tolist()


def test_tensors_of_one_storage_share_it(send):
    base = torch.arange(12.0)
    sent = {
        "whole": base,
        "half": [base[6:]],
        "bits": base.view(torch.int32),
        "other": base.clone(),
    }
    found = send(sent)
    assert found["half"][0].tolist() == base[6:].tolist()
    found["whole"][7] = -1.0
    assert found["half"][0][1] == -1.0
    assert found["bits"][7].view(torch.float32) == -1.0
    assert found["other"].tolist() == base.tolist() == list(range(12))
    first, second = send((base, base))
    first[0] = 5
    assert second[0] == 5
    assert base[0] == 0


def test_what_no_argument_shows_is_noise(send):
    secret = torch.full((1000,), 42.0)
    gap, tail = send([secret[10:30:2], secret[500:600]])
    for found, length in ((gap, 10), (tail, 100)):
        storage = torch.empty(0).set_(found.untyped_storage())
        assert (storage == 42).sum() == length
        assert length < len(storage) < 1000
    (bools,) = send([torch.ones(100, dtype=torch.bool)[::3]])
    raw = torch.empty(0, dtype=torch.uint8).set_(bools.untyped_storage())
    assert raw.max() == 1


def test_few_bytes_of_a_large_storage_travel():
    """Two ends of a large tensor, and one number that is shown a million times"""
    large = torch.zeros(2**22)
    sent = on_the_wire.encode(1, [large[:5], large[-5:], torch.zeros(1).expand(2**20)])
    assert sum(memoryview(part).nbytes for part in sent) < 5000


def test_cap_counts_what_is_shown():
    claims = torch.zeros(1).expand(2**30)
    with pytest.raises(plain.NotPlainData, match="at most"):
        on_the_wire.encode(1, [claims])
    third = torch.zeros(1, dtype=torch.uint8).expand(200 * 2**20)
    with pytest.raises(plain.NotPlainData, match="at most"):
        on_the_wire.encode(1, [third, third, third])


def test_answers_are_dense():
    (sent,) = frames.encode(1, torch.zeros(4, 4).T)[1:]
    assert frames.decode(body_of(bytes(sent)))[0].is_contiguous()
    data = b"".join(map(bytes, on_the_wire.encode(1, BASE)[1:]))
    with pytest.raises(frames.FrameError):
        frames.decode(body_of(data))
    assert plain.copy(torch.zeros(4, 4).T).is_contiguous()


def test_arguments_may_hold_paths_and_big_endian_dtypes(send):
    sent = {"path": Path("/tmp/a"), "dtype": np.dtype(">u2"), "other": np.dtype("<u2")}
    found = send(sent)
    assert found == sent
    assert found["dtype"].str == ">u2"
    assert type(found["path"]) is type(Path())


@pytest.mark.parametrize("send", [plain.copy, lambda v: frames.encode(1, v)])
def test_answers_hold_no_paths(send):
    with pytest.raises(plain.NotPlainData, match="Path"):
        send([Path("/tmp/a")])


def changed(data, old, new):
    assert data.count(old) == 1
    return body_of(data.replace(old, new))


def test_impossible_layouts_are_refused():
    """Shapes, strides and starts that lead out of what was sent, and bytes that are no bool"""

    def number(n):
        return n.to_bytes(8, "little", signed=True)

    data = b"".join(map(bytes, on_the_wire.encode(1, torch.arange(24.0).view(4, 6))[1:]))
    layout = number(4) + number(6) + number(24) + number(4)
    for shape in ((5, 6, 24, 4), (4, 7, 24, 4), (4, 6, 28, 4), (4, 6, -24, 4), (4, 6, 24, 3)):
        with pytest.raises(frames.FrameError):
            on_the_wire.decode(changed(data, layout, b"".join(map(number, shape))))
    for start in (-4, 4, 2, 2**62, -(2**63)):
        with pytest.raises(frames.FrameError):
            on_the_wire.decode(body_of(data[:-8] + number(start)))
    for huge in ((2**41, 0, 1, 1), (2**39, 2**39, 0, 0), (2**39, 1, 0, 0)):
        with pytest.raises(frames.FrameError):
            on_the_wire.decode(changed(data, layout, b"".join(map(number, huge))))
    flags = b"".join(map(bytes, on_the_wire.encode(1, torch.ones(7) > 0)[1:]))
    with pytest.raises(frames.FrameError):
        on_the_wire.decode(changed(flags, b"\x01" * 7, b"\x01\x02" + b"\x01" * 5))
