"""Layouts: arguments arrive with their strides and offsets; tensors share what they share.

Code that works only on contiguous tensors must not look right. So a tensor or an array in the
arguments of a call is not made contiguous on its way to an implementation. Only the bytes that an
argument shows are taken along. The bytes between and around them are noise: code that reads the
whole storage, and not the tensor, gets wrong numbers.

Answers have no layout: a test compares values.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Any, NamedTuple

import numpy as np
import torch

MARGIN = 256  # bytes of noise on each side of what is shown of a storage, at most
_ALIGNMENT = 16  # the widest element
_NOISE = np.random.default_rng(0).integers(0, 256, 2**12, dtype=np.uint8)
_NOISE_OF_BOOLS = _NOISE & 1
# Elements are copied as numbers of the same width: numpy has no bfloat16.
_RAW_TORCH = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64, 16: torch.complex128}
_RAW_NUMPY = {1: np.uint8, 2: np.int16, 4: np.int32, 8: np.int64, 16: np.complex128}


class Layout(NamedTuple):
    """Where elements are: strides and start in bytes, the start from the storage's first byte."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    start: int


class Segment(NamedTuple):
    """A piece of a storage: where it begins, and its bytes, in parts that follow one another."""

    begin: int
    parts: list[np.ndarray]

    @property
    def size(self) -> int:
        return sum(part.nbytes for part in self.parts)


class _View(NamedTuple):
    """A tensor or an array, as what it shows of its storage."""

    layout: Layout
    raw: np.ndarray  # the elements, with the same shape and strides
    low: int  # the first byte that it shows, and the byte after the last
    high: int
    is_bool: bool

    @property
    def is_dense(self) -> bool:
        """Whether it shows each byte from `low` to `high` once."""
        if self.raw.flags.c_contiguous:
            return True
        expected = self.raw.itemsize
        for stride, size in sorted(zip(self.raw.strides, self.raw.shape, strict=True)):
            if size > 1 and stride != expected:
                return False
            expected *= size
        return True

    def bytes(self) -> np.ndarray:
        """The bytes from `low` to `high` of a dense view, not copied."""
        if self.raw.flags.c_contiguous:  # the usual case; `as_strided` takes five times as long
            return self.raw.reshape(-1).view(np.uint8)
        flat = np.lib.stride_tricks.as_strided(self.raw, (self.raw.size,), (self.raw.itemsize,))
        return flat.view(np.uint8)


@dataclass
class _Storage:
    size: int
    views: list[_View] = field(default_factory=list)

    def segments(self) -> Iterator[Segment]:
        """The pieces that its views show, each with a margin of noise; near ones become one."""
        near: list[_View] = []
        high = 0  # of the views that are near
        for view in sorted(self.views, key=lambda v: v.low):
            if near and view.low > high + 2 * MARGIN:
                yield self._segment(near, high)
                near = []
            high = max(high, view.high)
            near.append(view)
        if near:
            yield self._segment(near, high)

    def _segment(self, views: list[_View], high: int) -> Segment:
        """The segment of these views, which are sorted and end at `high`."""
        low = views[0].low
        begin = max(low - MARGIN, 0) // _ALIGNMENT * _ALIGNMENT
        end = min(high + MARGIN, self.size)
        has_bools = any(view.is_bool for view in views)
        if len(views) == 1 and views[0].is_dense:
            before, after = _noise(low - begin, has_bools), _noise(end - high, has_bools)
            parts = (before, views[0].bytes(), after)
            return Segment(begin, [part for part in parts if part.nbytes])
        content = _noise(end - begin, has_bools).copy()
        for view in views:
            (shape, strides, start), raw = view.layout, view.raw
            room = np.ndarray(shape, raw.dtype, content.data, start - begin, strides)
            room[...] = raw
        return Segment(begin, [content])


class Storages:
    """The storages of the tensors and arrays of one call."""

    def __init__(self) -> None:
        self._storages: dict[int, _Storage] = {}
        self._numbers: dict[int, int] = {}  # by address
        self._next = count()

    def add_tensor(self, tensor: torch.Tensor) -> tuple[int, Layout]:
        """Adds a tensor; returns its storage's number and its layout, in bytes.

        Tensors with the same memory have the same storage. A tensor must live, and not change,
        until `segments` reads it.
        """
        tensor = tensor.detach().resolve_conj().resolve_neg()
        size = tensor.itemsize
        strides = tuple([stride * size for stride in tensor.stride()])
        layout = Layout(tuple(tensor.shape), strides, int(tensor.storage_offset()) * size)
        memory = tensor.untyped_storage()
        number = self._number(memory.data_ptr())
        if tensor.numel():
            raw = elements(tensor)
            view = _View(layout, raw, *_extent(layout, size), tensor.dtype is torch.bool)
            self._storages.setdefault(number, _Storage(memory.nbytes())).views.append(view)
        return number, layout

    def add_array(self, array: np.ndarray) -> tuple[int, Layout]:
        """Adds an array, as if it shared memory with nothing else."""
        number = next(self._next)
        if not array.size:
            return number, Layout(array.shape, array.strides, 0)
        low, high = _extent(Layout(array.shape, array.strides, 0), array.itemsize)
        layout = Layout(array.shape, array.strides, -low)
        raw: np.ndarray = array.view(_RAW_NUMPY[array.itemsize])
        view = _View(layout, raw, 0, high - low, array.dtype.kind == "b")
        self._storages[number] = _Storage(high - low, [view])
        return number, layout

    def segments(self) -> Iterator[tuple[int, Segment]]:
        """What is shown of each storage, by its number."""
        for number, storage in self._storages.items():
            for segment in storage.segments():
                yield number, segment

    def _number(self, address: int) -> int:
        if not address:  # empty
            return next(self._next)
        if address not in self._numbers:
            self._numbers[address] = next(self._next)
        return self._numbers[address]


class Rebuilt:
    """Tensors and arrays over segments."""

    def __init__(self) -> None:
        self._segments: dict[int, list[tuple[int, Any]]] = {}

    def add(self, number: int, begin: int, content: Any) -> None:
        """Adds a segment whose bytes are a writable buffer."""
        self._segments.setdefault(number, []).append((begin, content))

    def tensor(self, number: int, layout: Layout, dtype: torch.dtype) -> torch.Tensor:
        """The tensor of this layout; raises ValueError if its elements are not all there."""
        shape, size = layout.shape, dtype.itemsize
        strides = [stride // size for stride in layout.strides]
        if 0 in shape:
            return torch.empty_strided(shape, strides, dtype=dtype)
        begin, content = self._find(number, layout, size, dtype is torch.bool)
        raw = torch.frombuffer(content, dtype=torch.uint8)
        whole = raw[: len(raw) // size * size].view(dtype)
        return whole.as_strided(shape, strides, (layout.start - begin) // size)

    def array(self, number: int, layout: Layout, dtype: np.dtype[Any]) -> np.ndarray:
        """The array of this layout; raises ValueError if its elements are not all there."""
        if 0 in layout.shape:
            return np.empty(layout.shape, dtype)
        begin, content = self._find(number, layout, dtype.itemsize, dtype.kind == "b")
        return np.ndarray(layout.shape, dtype, content, layout.start - begin, layout.strides)

    def _find(self, number: int, layout: Layout, itemsize: int, is_bool: bool) -> tuple[int, Any]:
        low, high = _extent(layout, itemsize)
        for begin, content in self._segments.get(number, ()):
            if begin <= low and high <= begin + len(content) and not (low - begin) % itemsize:
                if is_bool and np.frombuffer(content, np.uint8).max() > 1:
                    raise ValueError("a bool is neither 0 nor 1")
                return begin, content
        raise ValueError("a layout shows bytes that are not there")


def elements(tensor: torch.Tensor) -> np.ndarray:
    """A tensor as an array of the same shape and strides, of numbers as wide as its elements."""
    tensor = tensor.detach().resolve_conj().resolve_neg()
    return tensor.view(_RAW_TORCH[tensor.itemsize]).numpy()


def rearranged(tensor: torch.Tensor, torch_rng: torch.Generator) -> torch.Tensor:
    """An equal tensor that lies in memory as a view may: axes in any order, with gaps or without.

    Gaps may double its size along each axis.
    """
    order = torch.randperm(tensor.dim(), generator=torch_rng).tolist()
    steps = torch.randint(1, 3, (tensor.dim(),), generator=torch_rng).tolist()
    memory = torch.empty([tensor.shape[axis] * steps[axis] for axis in order], dtype=tensor.dtype)
    axes = memory.permute([order.index(axis) for axis in range(tensor.dim())])
    return axes[tuple([slice(step - 1, None, step) for step in steps])].copy_(tensor)


def _extent(layout: Layout, itemsize: int) -> tuple[int, int]:
    """The first byte that a layout with elements shows, and the byte after the last."""
    low = high = layout.start
    for size, stride in zip(layout.shape, layout.strides, strict=True):
        reach = (size - 1) * stride
        low, high = low + min(reach, 0), high + max(reach, 0)
    return low, high + itemsize


def _noise(size: int, of_bools: bool) -> np.ndarray:
    noise = _NOISE_OF_BOOLS if of_bools else _NOISE
    return noise[:size] if size <= noise.size else np.resize(noise, size)
