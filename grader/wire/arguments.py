"""Frames that the judge sends: arguments, and the answers of a test's functions.

They may hold more than those of a worker (`frames.py`). Tensors and arrays keep their layouts
(`assignment/calls/layouts.py`): the body begins with segments of storages, and the value says what
lies where. There may be paths, and big-endian arrays and dtypes. A function or a generator of a
test's is a number, of which the worker makes a stand-in.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import GeneratorType
from typing import Any

import numpy as np
import torch

from assignment.calls import plain
from assignment.calls.layouts import Layout, Rebuilt, Storages
from grader.wire.frames import (
    ALIGNMENT,
    COUNT,
    DEFAULT_CAPS,
    LONG,
    NUMPY_DTYPES,
    TENSOR_DTYPES,
    TORCH_NAMES,
    Caps,
    FrameError,
    Parts,
    Reader,
    Writer,
    frame,
)

# A test may send back what it was given, among other arguments.
ARGUMENT_CAPS = Caps(*(2 * cap for cap in DEFAULT_CAPS))
_BIG_ENDIAN = [dtype.newbyteorder(">") for dtype in NUMPY_DTYPES.values()]
_BOTH_ORDERS = NUMPY_DTYPES | {dtype.str: dtype for dtype in _BIG_ENDIAN}
NumberOf = Callable[[Any], int]  # numbers a function or a generator of a test's
# Makes the stand-in of the function with this number, or of the generator if the second is true.
StandIn = Callable[[int, bool], Any]


def encode(
    call_id: int, value: Any, number_of: NumberOf | None = None, caps: Caps = ARGUMENT_CAPS
) -> Parts:
    """As `frames.encode`, of plain data and what else arguments may hold.

    Large tensors without gaps are not copied. Without `number_of`, functions and generators are
    refused.
    """
    writer, storages = _ArgumentWriter(caps, number_of), Writer(caps)
    writer.value(value, "the arguments", 0)
    for number, segment in writer.storages.segments():
        storages.tail += b"V" + COUNT.pack(number)
        storages.tail += LONG.pack(segment.begin) + LONG.pack(segment.size)
        storages.align()
        for part in segment.parts:
            storages.append(part)
    return frame(call_id, "the arguments", caps, storages, writer)


def decode(body: memoryview, stand_in: StandIn | None = None) -> Any:
    """The value that `encode` above put into a body; without `stand_in`, functions are refused."""
    reader = _ArgumentReader(body, stand_in)
    reader.segments()
    return reader.whole()


class _ArgumentWriter(Writer):
    def __init__(self, caps: Caps, number_of: NumberOf | None) -> None:
        super().__init__(caps)
        self.number_of = number_of
        self.storages = Storages()
        self.tensor_bytes = 0  # of all tensors and arrays, as if none shared memory

    def other(self, value: Any, where: str) -> None:
        """Writes a path, or the number of a function or a generator; refuses all else."""
        kind = type(value)
        if kind is plain.PATH:
            self.blob(b"p", str(value).encode())
        elif self.number_of is not None and kind in plain.CALLBACKS:
            self.tail += b"g" if kind is GeneratorType else b"f"
            self.tail += COUNT.pack(self.number_of(value))
        else:
            super().other(value, where)

    def numpy_dtype(self, dtype: np.dtype[Any]) -> None:
        self.blob(b"n", dtype.str.encode())

    def tensor(self, tensor: torch.Tensor, where: str) -> None:
        self.check_tensor(tensor, where)
        self.layout(b"v", TORCH_NAMES[tensor.dtype], *self.storages.add_tensor(tensor))

    def array(self, array: np.ndarray, where: str) -> None:
        self.check_array(array, where)
        self.layout(b"w", array.dtype.str.encode(), *self.storages.add_array(array))

    def check_size(self, size: int, shape: tuple[int, ...], where: str) -> None:
        super().check_size(self.tensor_bytes + size, shape, where)
        self.tensor_bytes += size

    def layout(self, tag: bytes, dtype: bytes, number: int, layout: Layout) -> None:
        """Writes where a tensor or an array lies in the storage with this number, not its bytes."""
        self.blob(tag, dtype)
        shape, strides, start = layout
        self.tail += bytes([len(shape)]) + b"".join(map(LONG.pack, (*shape, *strides)))
        self.tail += COUNT.pack(number) + LONG.pack(start)


class _ArgumentReader(Reader):
    numpy_dtypes = _BOTH_ORDERS

    def __init__(self, body: memoryview, stand_in: StandIn | None) -> None:
        super().__init__(body, ARGUMENT_CAPS)
        self.stand_in = stand_in
        self.rebuilt = Rebuilt()
        self.tensor_bytes = 0  # as in the writer

    def segments(self) -> None:
        """Reads the segments before the value."""
        while bytes(self.body[self.at : self.at + 1]) == b"V":
            self.take(1)
            number = COUNT.unpack(self.take(4))[0]
            begin, size = LONG.unpack(self.take(8))[0], LONG.unpack(self.take(8))[0]
            self.take(-self.at % ALIGNMENT)
            if size < 1:
                raise FrameError("a segment is empty")
            self.rebuilt.add(number, begin, self.take(size))

    def other(self, tag: int) -> Any:
        match tag:
            case 0x66 | 0x67 if self.stand_in is not None:  # f, g
                return self.stand_in(COUNT.unpack(self.take(4))[0], tag == 0x67)
            case 0x76:  # v
                dtype: torch.dtype = self.known(TENSOR_DTYPES)
                number, layout = self.layout(dtype.itemsize)
                if any(stride < 0 or stride % dtype.itemsize for stride in layout.strides):
                    raise FrameError("a tensor has an impossible stride")
                return self.built(self.rebuilt.tensor, number, layout, dtype)
            case 0x77:  # w
                array_dtype = self.known(_BOTH_ORDERS)
                number, layout = self.layout(array_dtype.itemsize)
                return self.built(self.rebuilt.array, number, layout, array_dtype)
            case 0x70:  # p
                return Path(self.utf8())
        return super().other(tag)

    def built(self, build: Callable[..., Any], number: int, layout: Layout, dtype: Any) -> Any:
        try:
            return build(number, layout, dtype)
        except ValueError as error:
            raise FrameError(str(error)) from None

    def layout(self, itemsize: int) -> tuple[int, Layout]:
        """Reads a storage's number and a layout within the caps; `built` compares the two."""
        dimensions = self.dimensions()
        numbers = [LONG.unpack(self.take(8))[0] for _ in range(2 * dimensions)]
        shape, strides = tuple(numbers[:dimensions]), tuple(numbers[dimensions:])
        if any(not 0 <= length < 2**40 for length in shape):
            raise FrameError("a tensor's shape is negative or too large")
        size = extent = itemsize
        for length in shape:
            size, extent = size * length, extent * max(length, 1)
        self.tensor_bytes += size
        if self.tensor_bytes > self.caps.size or extent >= 2**60:
            raise FrameError("a tensor's shape is too large")
        number = COUNT.unpack(self.take(4))[0]
        return number, Layout(shape, strides, LONG.unpack(self.take(8))[0])
