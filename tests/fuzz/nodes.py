"""The tree of a frame's body: `parse` reads one, `write` makes a body of it again.

Bytes that cannot be parsed stay raw, so that every body has a tree.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from grader.wire import frames

CONTAINERS, TEXTS, TENSORS = b"[({", b"sbIDn", b"ta"
WIDTHS = {**dict.fromkeys(b"NTF", 0), **dict.fromkeys(b"id", 8), **dict.fromkeys(b"fg", 4)}
DEEP = 40  # levels that are parsed; the judge reads fewer


class Node:
    """One value of a body. Without a tag it is raw bytes followed by its items.

    `count`, `rank` and `size`, if not None, are written instead of the true ones.
    """

    __slots__ = ("count", "data", "items", "name", "rank", "shape", "size", "tag")

    def __init__(self, tag: int | None, data: bytes = b"", items: tuple[Node, ...] = ()) -> None:
        self.tag, self.data, self.items = tag, data, items
        self.name: bytes = b""
        self.shape: tuple[int, ...] = ()
        self.count: int | None = None
        self.rank: int | None = None
        self.size: int | None = None


class _CannotParse(Exception):
    """The bytes from here on are not a value."""


def parse(body: bytes) -> Node:
    """A body as nodes. `write` gives the same bytes again, except for padding that is not 0."""
    nodes, at = [], 0
    try:
        node, at = _parse(body, 0, 0)
        nodes.append(node)
    except _CannotParse:
        pass
    return Node(None, b"", (*nodes, Node(None, body[at:])))


def _parse(body: bytes, at: int, depth: int) -> tuple[Node, int]:
    if at >= len(body) or depth > DEEP:
        raise _CannotParse
    tag = body[at]
    at += 1
    if (width := WIDTHS.get(tag)) is not None:
        return Node(tag, body[at : at + width]), _end(body, at + width)
    if tag in TENSORS:
        return _parse_tensor(body, tag, at)
    if tag not in TEXTS and tag not in CONTAINERS:
        raise _CannotParse
    count = int.from_bytes(body[at : at + 4], "little")
    at = _end(body, at + 4)
    if tag in TEXTS:
        return Node(tag, body[at : at + count]), _end(body, at + count)
    items: list[Node] = []
    node = Node(tag)
    for _ in range(2 * count if tag == 0x7B else count):
        try:
            item, at = _parse(body, at, depth + 1)
        except _CannotParse:
            node.count = count
            break
        items.append(item)
    node.items = tuple(items)
    return node, at


def _parse_tensor(body: bytes, tag: int, at: int) -> tuple[Node, int]:
    node = Node(tag)
    length = int.from_bytes(body[at : at + 4], "little")
    at = _end(body, at + 4)
    node.name = body[at : at + length]
    at = _end(body, at + length)
    rank = body[at] if at < len(body) else 0
    end = _end(body, at + 1 + 8 * rank + 8)
    *shape, size = struct.unpack(f"<{rank + 1}Q", body[at + 1 : end])
    node.shape = tuple(shape)
    at = end + -end % frames.ALIGNMENT
    node.data = body[at : at + size]
    return node, _end(body, at + size)


def _end(body: bytes, at: int) -> int:
    if at > len(body):
        raise _CannotParse
    return at


def values_in(body: bytes) -> int:
    """The number of values in a body, keys included, as far as it can be parsed."""
    return sum(node.tag is not None for node in nodes_of(parse(body)))


def write(node: Node) -> bytes:
    """The body of a node, as bytes."""
    out = bytearray()
    _write(node, out)
    return bytes(out)


def _write(node: Node, out: bytearray) -> None:
    tag = node.tag
    if tag is None:
        out += node.data
    elif tag in TENSORS:
        _write_tensor(node, out)
        return
    else:
        out.append(tag)
        if tag in TEXTS:
            out += length_field(len(node.data) if node.count is None else node.count)
        elif tag in CONTAINERS:
            true = len(node.items) // 2 if tag == 0x7B else len(node.items)
            out += length_field(true if node.count is None else node.count)
        out += node.data
    for item in node.items:
        _write(item, out)


def _write_tensor(node: Node, out: bytearray) -> None:
    assert node.tag is not None
    out.append(node.tag)
    out += length_field(len(node.name) if node.count is None else node.count)
    out += node.name
    out.append((len(node.shape) if node.rank is None else node.rank) & 0xFF)
    size = len(node.data) if node.size is None else node.size
    for number in (*node.shape, size):
        out += (number & 2**64 - 1).to_bytes(8, "little")
    out += bytes(-len(out) % frames.ALIGNMENT)
    out += node.data


def length_field(count: int) -> bytes:
    """A count as it stands in a body."""
    return (count & 2**32 - 1).to_bytes(4, "little")


def nodes_of(node: Node) -> Iterator[Node]:
    """A node and all below it."""
    yield node
    for item in node.items:
        yield from nodes_of(item)
