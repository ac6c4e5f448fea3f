"""Frames to attack the judge with: valid ones, and mutants that follow the format.

A body is parsed into nodes (`nodes.py`) and written again with some field changed: a tag, a count,
a dtype's name, a shape, a length. A mutant can be mutated further.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from grader.wire import frames
from grader.wire.claims import CAUSES
from tests.fuzz.nodes import (
    CONTAINERS,
    TENSORS,
    TEXTS,
    WIDTHS,
    Node,
    length_field,
    nodes_of,
    parse,
    write,
)

TAGS = b"NTFidIsb[({taDnfgvwpV"  # the last six only in arguments: refused
NUMBERS = (
    *(0, 1, 2, 3, 4, 7, 8, 15, 16, 17, 31, 63, 64, 65, 127, 128, 255, 256, 511, 512, 513, 1023),
    *(2**15, 2**16, 2**20, 2**24, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**39, 2**40 - 1, 2**40),
    *(2**52, 2**59, 2**60, 2**61 - 1, 2**62, 2**63 - 1, 2**63, 2**64 - 8, 2**64 - 1),
)
_TENSORS = [name.encode() for name in frames.TENSOR_DTYPES]
_ARRAYS = [name.encode() for name in frames.NUMPY_DTYPES]
_KEYS = [
    *(b"result", b"failed", b"type", b"message", b"exception"),
    *(b"trace", b"frames", b"file", b"line"),
    *(b"use", b"function", b"args", b"kwargs", b"ended"),
]
WORDS = (
    *_KEYS,
    *(name.encode() for name in CAUSES),
    *(b"ValueError", b"KeyError", b"SystemExit", b"UnicodeDecodeError", b"ExceptionGroup", b"Mine"),
    *(b"os.system", b"__class__", b"\xff\xfe", b"\xed\xa0\x80", b"\x1b[31m", b"\x00", b"%s{0}"),
    *("\U0001f4a5".encode() * 3, "\u202e".encode(), b"9" * 5000),
    *(b"|O", b"object", b"qint8", b"quint4x2", b"bits8", b"<M8[s]", b">i4"),
)


def frame_of(body: bytes, call_id: int = 1) -> bytes:
    """A body with its header, as one piece."""
    return frames.HEADER.pack(frames.MAGIC, call_id, len(body)) + body


def mutants(frame: bytes, rng: random.Random, count: int) -> Iterator[bytes]:
    """`count` frames that each differ from this one in one to four fields."""
    tree = parse(frame[frames.HEADER.size :])
    nodes = list(nodes_of(tree))
    for _ in range(count):
        undo: list[tuple[Node, str, Any]] = []
        for _ in range((1, 1, 1, 2, 2, 4)[int(rng.random() * 6)]):
            node = nodes[int(rng.random() * len(nodes))]
            for name, value in _change(node, rng):
                undo.append((node, name, getattr(node, name)))
                setattr(node, name, value)
        body = write(tree)
        for node, name, value in reversed(undo):
            setattr(node, name, value)
        if rng.random() < 0.1:
            body = _scratch(body, rng)
        made = frame_of(body)
        if rng.random() < 0.02:
            made = _scratch(made[: frames.HEADER.size], rng) + body
        yield made


def _change(node: Node, rng: random.Random) -> list[tuple[str, Any]]:
    """A random change of a node: names of its fields, with new values."""
    luck = rng.random()
    tag = node.tag
    if tag is None:
        return [("data", _scratch(node.data, rng))]
    if luck < 0.08:
        return [("tag", rng.choice(TAGS))]
    if luck < 0.20:
        return _as(leaf(rng))
    if luck < 0.24:
        return _wrapped(node, rng)
    if luck < 0.30:
        return _repeated(node, rng)
    if tag in CONTAINERS:
        return _change_container(node, rng)
    if tag in TEXTS:
        return _change_text(node, rng)
    if tag in TENSORS:
        return _change_tensor(node, rng)
    return [("data", _number(rng).to_bytes(8, "little"))] if node.data else _as(leaf(rng))


def _as(other: Node) -> list[tuple[str, Any]]:
    return [(name, getattr(other, name)) for name in Node.__slots__]


def _change_container(node: Node, rng: random.Random) -> list[tuple[str, Any]]:
    items = list(node.items)
    at = int(rng.random() * (len(items) + 1))
    match int(rng.random() * 7):
        case 0:
            return [("count", _number(rng, len(items)))]
        case 1:
            many = Node(0x5B, items=(leaf(rng),) * rng.choice((2, 3, 30, 100)))
            items[at : at + 1] = [many] if node.tag != 0x7B or at % 2 else [_word(rng), many]
        case 2:
            del items[at : at + (2 if node.tag == 0x7B else 1)]
        case 3:
            items[at:at] = items[at - 1 : at + 1]
        case 4:
            rng.shuffle(items)
        case 5:
            items[at:at] = [_word(rng), leaf(rng)] if node.tag == 0x7B else [leaf(rng)]
        case _:
            at -= at % 2
            items[at : at + 1] = [_word(rng)]
    return [("items", tuple(items))]


def _change_text(node: Node, rng: random.Random) -> list[tuple[str, Any]]:
    match int(rng.random() * 5):
        case 0:
            return [("count", _number(rng, len(node.data)))]
        case 1:
            return [("data", _scratch(node.data, rng))]
        case 2:
            return [("data", rng.randbytes(rng.choice((0, 1, 8, 16, 511, 512, 513))))]
        case 3:
            return [("data", rng.choice(_TENSORS if node.tag == 0x44 else _ARRAYS))]
        case _:
            return [("data", rng.choice(WORDS))]


def _change_tensor(node: Node, rng: random.Random) -> list[tuple[str, Any]]:
    at = int(rng.random() * (len(node.shape) + 1))
    match int(rng.random() * 9):
        case 0:
            return [("name", rng.choice((_TENSORS, _ARRAYS, WORDS)[int(rng.random() * 3)]))]
        case 1:
            return [("shape", (*node.shape[:at], _number(rng, at), *node.shape[at + 1 :]))]
        case 2:
            return [("shape", (*node.shape[:at], _number(rng, at), *node.shape[at:]))]
        case 3:
            return [("shape", node.shape[:at] + node.shape[at + 1 :])]
        case 4:
            return [("shape", (rng.choice((0, 1)),) * rng.choice((1, 2, 63, 64, 65, 255)))]
        case 5:
            return [("size", _number(rng, len(node.data)))]
        case 6:
            return [("rank", _number(rng, len(node.shape)))]
        case 7:
            return [("data", _scratch(node.data, rng))]
        case _:
            # With one side of length 0 there are no bytes, however large the other sides are.
            sides = [_number(rng) for _ in range(int(rng.random() * 4))]
            return [("shape", (*sides[:at], 0, *sides[at:])), ("data", b"")]


def _wrapped(node: Node, rng: random.Random) -> list[tuple[str, Any]]:
    """Wraps the node into a random number of containers."""
    levels = rng.choice((1, 2, 3, 8, 30, 31, 32, 33, 34, 35, 400 if rng.random() < 0.2 else 1))
    layer = rng.choice(
        (b"[" + length_field(1), b"(" + length_field(1), b"{" + length_field(1) + b"N")
    )
    return _as(Node(None, layer * levels + write(node)))


def _repeated(node: Node, rng: random.Random) -> list[tuple[str, Any]]:
    """Repeats the node in a list, or makes a dict with many keys; some have equal hashes."""
    times = int(rng.choice((2, 3, 10, 100)) if rng.random() < 0.97 else 2 ** (8 + 6 * rng.random()))
    if rng.random() < 0.7:
        copy = write(node)
        times = max(1, min(times, 2**16 // (len(copy) + 1)))
        return _as(Node(None, b"[" + length_field(times) + copy * times))
    if rng.random() < 0.5:  # these have equal hashes in Python
        step, size, tag = 2**61 - 1, 16, b"I" + length_field(16)
    else:
        step, size, tag = 1, 8, b"i"
    keys = [tag + (i * step).to_bytes(size, "little") + b"N" for i in range(times)]
    return _as(Node(None, b"{" + length_field(times) + b"".join(keys)))


def _scratch(data: bytes, rng: random.Random) -> bytes:
    """The bytes with a few of them changed, inserted or removed."""
    at = int(rng.random() * (len(data) + 1))
    match int(rng.random() * 5):
        case 0:
            return data[:at]
        case 1:
            return data[:at] + rng.randbytes(1 + int(rng.random() * 8)) + data[at:]
        case 2:
            return data[:at] + data[at + 1 + int(rng.random() * 8) :]
        case 3:
            return data[:at] + b"\xff" * (1 << int(rng.random() * 4)) + data[at + 8 :]
        case _:
            return data[:at] + bytes([rng.choice(TAGS)]) + data[at + 1 :]


def _number(rng: random.Random, true: int = 0) -> int:
    if rng.random() < 0.3:
        return max(0, true + rng.choice((-2, -1, 1, 2)))
    return NUMBERS[int(rng.random() * len(NUMBERS))]


def _word(rng: random.Random) -> Node:
    return Node(0x73, rng.choice(_KEYS if rng.random() < 0.7 else WORDS))


def leaf(rng: random.Random) -> Node:
    """A random new value, valid or nearly valid."""
    tag = TAGS[int(rng.random() * len(TAGS))]
    if tag in CONTAINERS:
        return Node(tag)
    if (width := WIDTHS.get(tag)) is not None:
        return Node(tag, rng.randbytes(width) if rng.random() < 0.5 else b"\xff" * width)
    if tag in TENSORS:
        node = Node(tag)
        node.name = rng.choice(_TENSORS if tag == 0x74 else _ARRAYS)
        names: dict[str, Any] = frames.TENSOR_DTYPES if tag == 0x74 else frames.NUMPY_DTYPES
        node.shape = tuple([int(rng.random() * 4) for _ in range(int(rng.random() * 3))])
        elements = int(np.prod(node.shape, dtype=int))
        node.data = rng.randbytes(elements * names[node.name.decode()].itemsize)
        return node
    if tag == 0x44:
        return Node(tag, rng.choice(_TENSORS))
    if tag == 0x6E:
        return Node(tag, rng.choice(_ARRAYS))
    return Node(tag, rng.choice(WORDS) if rng.random() < 0.7 else rng.randbytes(9))


_ARGS = ((), (1,), (torch.ones(2), [None]), [1], 5)  # of a use: the last two are refused


# --- seeds ---------------------------------------------------------------------------


def seeds() -> list[bytes]:
    """Valid frames: each kind of value, each dtype, and each kind of answer that a worker gives."""
    failed = {"type": "E", "message": "said", "trace": "File 'x', line 1"}
    failed |= {"frames": [["package/x.py", 1, "f"]]}
    odds: list[Any] = [torch.ones(2), np.ones(2), [1], {"a": (2,)}, b"b", 2**70]
    values: list[Any] = [
        *(None, True, 3, 2**80, 0.5, "text", b"bytes", [], (), {}, [1, (2.5, None)]),
        *({"result": value} for value in (None, [1, 2], (3, 4), {"a": 1, 2: True}, 0.25, "é", b"")),
        *({"failed": cause, **failed} for cause in CAUSES),
        *({"failed": "exception", "exception": name, **failed} for name in ("KeyError", "Mine", 3)),
        *({"failed": "exception", **failed, key.decode(): odd} for key in _KEYS for odd in odds),
        {"result": {"f": ["x", "y"], "g": []}},
        {"failed": "import_failed", **failed, "file": "/submission/a.py", "line": 3},
        {"result": {"w": torch.ones(2, 3), "b": np.zeros(3), "d": torch.float32}},
        {"result": [torch.zeros(0, 5), torch.tensor(True), np.ones((2, 2), np.int8)]},
        {"ended": True},
        *({"use": 0, "function": i, "args": args, "kwargs": {}} for i, args in enumerate(_ARGS)),
        *({"use": use, "function": 0, "args": (), "kwargs": {"a": 1}} for use in (0, 1, True)),
        {"result": [[[[[[1]]]]], {"a": {"b": {"c": (1,)}}}]},
        *({"result": torch.ones(3).to(dtype)} for dtype in frames.TENSOR_DTYPES.values()),
        *({"result": np.ones((1, 2), dtype)} for dtype in frames.NUMPY_DTYPES.values()),
        *(list(frames.TORCH_NAMES)[:5], list(frames.NUMPY_DTYPES.values())[:3]),
    ]
    return [b"".join(bytes(part) for part in frames.encode(1, value)) for value in values]
