"""Frames: encodes plain data as bytes, and decodes it. Judge and worker share this module.

A frame is a 24-byte header (magic, call id, length) and a body that holds one value. A value is a
tag byte and its content. A container's tag is followed by its count. A tensor's bytes are in the
body itself, aligned, so that a large tensor is neither copied nor parsed.

These are the frames that a worker sends. What the judge sends may hold more
(`arguments.py`).

The body may come from hostile code. `decode` reads it under `Caps`, builds only exact built-in
types, dtypes, arrays and dense CPU tensors, never runs or imports what the sender names, and raises
only `FrameError`. It allocates nothing for a count that the rest of the body cannot hold.

Longer than 300 lines, since each tag is written and read here: both sides are checked against each
other by reading them in one file, and the fuzzer instruments this file.
"""

from __future__ import annotations

import math
import re
import struct
from typing import Any, NamedTuple

import numpy as np
import torch

from assignment.calls import plain

MAGIC = b"RAG1"
HEADER = struct.Struct("<4sxxxxQQ")
ALIGNMENT = 16  # the widest element, complex128
INLINE = 4096  # bytes; a buffer up to this size is copied into a part, a larger one is a part


class FrameError(Exception):
    """A frame that cannot be read. The message says what is wrong, and never quotes the frame."""


class FrameTooLargeError(FrameError):
    """A frame of more bytes, by its header, or of more values than the caps allow."""


class Caps(NamedTuple):
    """What a frame may hold: bytes, values, levels of nested containers, bytes of one integer.

    A tensor takes as long to read as ten to fifty other values: there is a cap on these as well.
    """

    size: int = 256 * 2**20
    items: int = 1_000_000
    depth: int = plain.MAX_DEPTH
    integer: int = 512  # 6ND needs 11
    tensors: int = 20_000  # and arrays


DEFAULT_CAPS = Caps()
Parts = list[bytes | bytearray | memoryview]  # of a frame, in order


def lists_in_empty(shape: tuple[int, ...]) -> int:
    """How many lists a tensor without elements may become as nested lists; 0 if it has elements.

    They take no bytes but count as values, so that no work on a value exceeds its bytes by much.
    """
    return math.prod(length or 1 for length in shape) if 0 in shape else 0


_TORCH_DTYPES = {
    str(dtype).removeprefix("torch."): dtype
    for dtype in sorted((v for v in vars(torch).values() if isinstance(v, torch.dtype)), key=str)
}
TORCH_NAMES = {dtype: name.encode() for name, dtype in _TORCH_DTYPES.items()}
# A tensor is sent as its bytes: no quantized dtypes, none narrower than a byte.
TENSOR_DTYPES = {
    name: dtype
    for name, dtype in _TORCH_DTYPES.items()
    if re.fullmatch(r"bool|bfloat16|u?int(8|16|32|64)|float(16|32|64)|(float8_|complex).*", name)
}
# Built from names: the codes 'l' and 'q' are two dtypes of one width, and only one is named int64.
NUMPY_DTYPES = {
    np.dtype(name).str: np.dtype(name)
    for name in (
        *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
        *("float16", "float32", "float64", "complex64", "complex128"),
    )
}

COUNT = struct.Struct("<I")
LONG = struct.Struct("<q")
_DOUBLE = struct.Struct("<d")
_SIZE = struct.Struct("<Q")


# --- writing ---------------------------------------------------------------------------------


class Writer:
    """Writes one value, which errors call `where`. A subclass may write more kinds, in `other`."""

    def __init__(self, caps: Caps) -> None:
        self.parts: Parts = []
        self.tail = bytearray()  # what comes after these parts, until `flush`
        self.length = 0  # bytes of the parts
        self.items = self.tensors = 0  # written until now
        self.caps = caps

    def value(self, value: Any, where: str, depth: int) -> None:
        self.items += 1
        if depth > self.caps.depth:
            raise plain.NotPlainData(f"{where} is nested more than {self.caps.depth} deep")
        if self.items > self.caps.items:
            raise plain.NotPlainData(f"{where} holds more than {self.caps.items} values")
        kind = type(value)
        tail = self.tail
        if value is None:
            tail += b"N"
        elif kind is bool:
            tail += b"T" if value else b"F"
        elif kind is int:
            self.integer(value, where)
        elif kind is float:
            tail += b"d" + _DOUBLE.pack(value)
        elif kind is str:
            try:
                self.blob(b"s", value.encode())
            except UnicodeEncodeError:
                raise plain.NotPlainData(f"{where} is a str that is not valid Unicode") from None
        elif kind is bytes:
            self.blob(b"b", value)
        elif kind is list or kind is tuple or kind is torch.Size:
            tail += (b"[" if kind is list else b"(") + COUNT.pack(len(value))
            for i, item in enumerate(value):
                if not self.common(item, depth):
                    self.value(item, f"{where}[{i}]", depth + 1)
        elif kind is dict:
            tail += b"{" + COUNT.pack(len(value))
            for key, item in value.items():
                if type(key) not in (str, int, bool):
                    plain.refuse_key(key, where)
                if type(key) is int and not -(2**63) <= key < 2**63:  # see Reader.mapping
                    raise plain.NotPlainData(f"a key of {where} is an int of more than 64 bits")
                if not self.common(key, depth):
                    self.value(key, where, depth + 1)
                if not self.common(item, depth):
                    self.value(item, f"{where}[{key!r}]", depth + 1)
        elif kind is torch.Tensor or kind is torch.nn.Parameter:
            self.tensor(value, where)
        elif kind is np.ndarray:
            self.array(value, where)
        elif kind is torch.dtype:
            self.blob(b"D", TORCH_NAMES[value])
        elif isinstance(value, np.dtype) and value.newbyteorder("<").str in NUMPY_DTYPES:
            self.numpy_dtype(value)
        else:
            self.other(value, where)

    def other(self, value: Any, where: str) -> None:
        plain.refuse(value, where)

    def common(self, value: Any, depth: int) -> bool:
        """Writes an item of a container at this depth if it is a common scalar; says whether it is.

        Most items are. This makes no text that says where an item is, which would take longer.
        """
        if depth >= self.caps.depth or self.items >= self.caps.items:
            return False  # `value` refuses it
        kind = type(value)
        if kind is float:
            self.tail += b"d" + _DOUBLE.pack(value)
        elif kind is int and -(2**63) <= value < 2**63:
            self.tail += b"i" + LONG.pack(value)
        elif kind is str and value.isascii():
            self.blob(b"s", value.encode())
        elif value is None:
            self.tail += b"N"
        else:
            return False
        self.items += 1
        return True

    def integer(self, value: int, where: str) -> None:
        if -(2**63) <= value < 2**63:
            self.tail += b"i" + LONG.pack(value)
            return
        size = (value if value >= 0 else ~value).bit_length() // 8 + 1
        if size > self.caps.integer:
            raise plain.NotPlainData(f"{where} is an integer of {size} bytes; expected far fewer")
        self.blob(b"I", value.to_bytes(size, "little", signed=True))

    def blob(self, tag: bytes, data: bytes) -> None:
        self.tail += tag + COUNT.pack(len(data))
        self.tail += data

    def check_size(self, size: int, shape: tuple[int, ...], where: str) -> None:
        """Counts a tensor and checks it before copying: one of stride 0 may claim exabytes."""
        self.tensors += 1
        self.items += lists_in_empty(shape)
        if self.items > self.caps.items:
            raise plain.NotPlainData(f"{where} is empty, and as lists too many: {shape}")
        if self.tensors > self.caps.tensors:
            raise plain.NotPlainData(f"{where} is one of more than {self.caps.tensors} tensors")
        if self.length + size > self.caps.size:
            raise plain.NotPlainData(f"{where} takes {size} bytes; at most {self.caps.size} fit")

    def numpy_dtype(self, dtype: np.dtype[Any]) -> None:
        self.blob(b"n", dtype.newbyteorder("<").str.encode())

    def check_tensor(self, tensor: torch.Tensor, where: str) -> None:
        plain.check_tensor(tensor, where)
        if tensor.dtype not in TENSOR_DTYPES.values():
            raise plain.NotPlainData(f"{where} is a tensor of {tensor.dtype}, which cannot be sent")
        self.check_size(tensor.numel() * tensor.itemsize, tuple(tensor.shape), where)

    def check_array(self, array: np.ndarray, where: str) -> None:
        plain.check_array(array, where)
        if array.dtype.newbyteorder("<").str not in NUMPY_DTYPES:
            raise plain.NotPlainData(f"{where} is an array of {array.dtype}, which cannot be sent")
        self.check_size(array.nbytes, array.shape, where)

    def tensor(self, tensor: torch.Tensor, where: str) -> None:
        self.check_tensor(tensor, where)
        dense = tensor.detach().resolve_conj().resolve_neg().contiguous().reshape(-1)
        dense = dense.as_strided((dense.numel(),), (1,))  # a single element may have any stride
        raw = dense.view(torch.uint8).numpy() if dense.numel() else np.empty(0, np.uint8)
        self.blob(b"t", TORCH_NAMES[tensor.dtype])
        self.buffer(tuple(tensor.shape), raw)

    def array(self, array: np.ndarray, where: str) -> None:
        self.check_array(array, where)
        dense = array.astype(array.dtype.newbyteorder("<"), order="C", copy=False)
        self.blob(b"a", dense.dtype.str.encode())
        self.buffer(dense.shape, dense.reshape(-1).view(np.uint8))

    def buffer(self, shape: tuple[int, ...], raw: np.ndarray) -> None:
        """Writes a shape, and then the bytes of all elements, aligned."""
        self.tail += bytes([len(shape)]) + b"".join(map(_SIZE.pack, shape)) + _SIZE.pack(raw.nbytes)
        self.align()
        self.append(raw)

    def align(self) -> None:
        self.tail += bytes(-(self.length + len(self.tail)) % ALIGNMENT)

    def append(self, raw: np.ndarray) -> None:
        """Appends bytes: a few are copied, many become a part, which must not change until sent."""
        if raw.nbytes <= INLINE:
            self.tail += raw.tobytes()
            return
        self.flush()
        self.parts.append(raw.data)
        self.length += raw.nbytes

    def flush(self) -> None:
        if self.tail:
            self.parts.append(self.tail)
            self.length += len(self.tail)
            self.tail = bytearray()


def encode(call_id: int, value: Any, what: str = "value", caps: Caps = DEFAULT_CAPS) -> Parts:
    """A frame in parts, for one gathered write. Large contiguous tensors are not copied.

    Raises plain.NotPlainData, which calls the value `what`, if it is not plain or exceeds `caps`.
    """
    writer = Writer(caps)
    writer.value(value, what, 0)
    return frame(call_id, what, caps, writer)


def frame(call_id: int, what: str, caps: Caps, *writers: Writer) -> Parts:
    """The frame of what these writers have written; raises NotPlainData if that is too large."""
    for writer in writers:
        writer.flush()
    length = sum(writer.length for writer in writers)
    if length > caps.size:
        raise plain.NotPlainData(f"{what} takes {length} bytes; at most {caps.size} fit")
    parts = [part for writer in writers for part in writer.parts]
    return [HEADER.pack(MAGIC, call_id, length), *parts]


# --- reading ---------------------------------------------------------------------------------


def decode_header(header: bytes | bytearray, caps: Caps = DEFAULT_CAPS) -> tuple[int, int]:
    """The call id and the length of the body; raises FrameError if the length exceeds the cap."""
    if len(header) != HEADER.size:
        raise FrameError("the header is cut short")
    magic, call_id, length = HEADER.unpack(header)
    if magic != MAGIC:
        raise FrameError("the frame does not start with the magic number")
    if length > caps.size:
        raise FrameTooLargeError(f"the frame is larger than {caps.size} bytes")
    return call_id, length


def new_body(length: int) -> memoryview:
    """A buffer for a body: aligned, writable, and without memory until it is filled."""
    return np.empty(length, dtype=np.uint8).data


def decode(body: memoryview, caps: Caps = DEFAULT_CAPS) -> tuple[Any, int]:
    """The value that `encode` put into a body, and of how many values it consists.

    Its tensors use the body's memory: never reuse a body. Raises FrameError if anything is wrong.
    """
    reader = Reader(body, caps)
    return reader.whole(), reader.items


class Reader:
    """Reads one value. A subclass may read more kinds, in `other`."""

    numpy_dtypes = NUMPY_DTYPES

    def __init__(self, body: memoryview, caps: Caps) -> None:
        self.body, self.end = body, len(body)
        self.at = 0  # the position of the next byte
        self.items = self.tensors = 0  # read until now
        self.caps = caps

    def whole(self) -> Any:
        value = self.value(0)
        if self.at != self.end:
            raise FrameError("bytes are left over after the value")
        return value

    def take(self, size: int) -> memoryview:
        return self.body[self.skip(size) : self.at]

    def skip(self, size: int) -> int:
        """Moves past this many bytes, and returns where they begin."""
        at = self.at
        self.at = end = at + size
        if end > self.end:
            raise FrameError("the frame is cut short")
        return at

    def count(self, width: int = 1) -> int:
        """Reads a count of items of at least `width` bytes each; the body must hold that many."""
        count: int = COUNT.unpack_from(self.body, self.skip(4))[0]
        if count * width > self.end - self.at:
            raise FrameError("a count exceeds what follows")
        return count

    def blob(self) -> bytes:
        return bytes(self.take(self.count()))

    def value(self, depth: int) -> Any:
        self.items += 1
        if self.items > self.caps.items:
            raise FrameTooLargeError(f"the frame holds more than {self.caps.items} values")
        if depth > self.caps.depth:
            raise FrameError(f"the frame is nested more than {self.caps.depth} deep")
        match self.body[self.skip(1)]:  # the common ones first
            case 0x69:  # i
                return LONG.unpack_from(self.body, self.skip(8))[0]
            case 0x64:  # d
                return _DOUBLE.unpack_from(self.body, self.skip(8))[0]
            case 0x73:  # s
                return self.utf8()
            case 0x4E:  # N
                return None
            case 0x54:  # T
                return True
            case 0x46:  # F
                return False
            case 0x49:  # I
                if len(data := self.blob()) > self.caps.integer:
                    raise FrameError(f"an integer is longer than {self.caps.integer} bytes")
                return int.from_bytes(data, "little", signed=True)
            case 0x62:  # b
                return self.blob()
            case 0x5B:  # [
                return [self.value(depth + 1) for _ in range(self.count())]
            case 0x28:  # (
                return tuple([self.value(depth + 1) for _ in range(self.count())])
            case 0x7B:  # {
                return self.mapping(depth)
            case 0x74:  # t
                return self.tensor()
            case 0x61:  # a
                return self.array()
            case 0x44:  # D
                return self.known(_TORCH_DTYPES)
            case 0x6E:  # n
                return self.known(self.numpy_dtypes)
            case tag:
                return self.other(tag)

    def other(self, tag: int) -> Any:
        raise FrameError("a value starts with an unknown tag")

    def utf8(self) -> str:
        try:
            return str(self.take(self.count()), "utf-8")
        except UnicodeDecodeError:
            raise FrameError("a str is not UTF-8") from None

    def known(self, table: dict[str, Any]) -> Any:
        try:
            return table[self.utf8()]
        except KeyError:
            raise FrameError("a dtype is not known") from None

    def mapping(self, depth: int) -> dict[Any, Any]:
        result: dict[Any, Any] = {}
        for _ in range(count := self.count(2)):  # a key and a value take two
            key = self.value(depth + 1)
            if type(key) not in (str, int, bool):
                raise FrameError("a key is no str, int or bool")
            if type(key) is int and not -(2**63) <= key < 2**63:
                # Python's hash of an int repeats every 2**61 - 1. Long integers with equal hashes
                # would make a dict take hours.
                raise FrameError("a key is an int of more than 64 bits")
            result[key] = self.value(depth + 1)
        if len(result) != count:
            raise FrameError("a key occurs twice")
        return result

    def dimensions(self) -> int:
        """Reads how many dimensions the next tensor or array has."""
        self.tensors += 1
        if self.tensors > self.caps.tensors:
            raise FrameError(f"the frame holds more than {self.caps.tensors} tensors")
        found: int = self.take(1)[0]
        if found > 64:
            raise FrameError("a tensor has more than 64 dimensions")
        return found

    def buffer(self, itemsize: int) -> tuple[tuple[int, ...], memoryview]:
        """Reads a shape and the bytes of all its elements, which are not copied."""
        dimensions = self.dimensions()
        shape = tuple([_SIZE.unpack(self.take(8))[0] for _ in range(dimensions)])
        size = _SIZE.unpack(self.take(8))[0]
        if math.prod(shape) * itemsize != size:
            raise FrameError("a tensor's shape does not fit its bytes")
        self.items += lists_in_empty(shape)
        if self.items > self.caps.items:
            raise FrameError("an empty tensor's shape is too large")
        self.take(-self.at % ALIGNMENT)
        return shape, self.take(size)

    def tensor(self) -> torch.Tensor:
        """Reads a tensor, which shares the body's memory unless its dtype is bool."""
        dtype: torch.dtype = self.known(TENSOR_DTYPES)
        shape, raw = self.buffer(dtype.itemsize)
        if not raw.nbytes:
            return torch.empty(shape, dtype=dtype)
        flat = torch.frombuffer(raw, dtype=torch.uint8)
        # torch does not define a bool byte other than 0 and 1: make it one of the two.
        flat = flat != 0 if dtype is torch.bool else flat.view(dtype)
        return flat.reshape(shape)

    def array(self) -> np.ndarray:
        dtype: np.dtype[Any] = self.known(NUMPY_DTYPES)
        shape, raw = self.buffer(dtype.itemsize)
        flat = np.frombuffer(raw, dtype=np.uint8)
        return (flat != 0 if dtype.kind == "b" else flat.view(dtype)).reshape(shape)
