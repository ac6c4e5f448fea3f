"""The calls that a test has made, as one could type them: for the message when it fails."""

from __future__ import annotations

import inspect
import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
import torch

from assignment.calls import plain
from assignment.calls.callbacks import StandInIterator
from assignment.calls.text import cut, show

_KEPT = 40  # calls of a test
_SHOWN = 240  # characters of a call's arguments
_ELEMENTS = 12  # of a tensor that is written out
_USUAL = (torch.float32, torch.int64, torch.bool, torch.complex64)  # dtypes of torch.tensor([…])


@dataclass(eq=False)
class Call:
    """A call of a student's function, or of a scenario, which makes such calls itself."""

    target: str  # `<module>.<function>`
    text: str  # the call as one could type it
    maker: Call | None = None  # the scenario that made it; None if the test did
    returned: str | None = None  # its result as text; None as long as it has not returned

    def note_result(self, result: Any) -> None:
        """Notes a result, which may hold anything, with a `__repr__` of a student's."""
        try:
            self.returned = "an iterator" if isinstance(result, Iterator) else show(result)
        except Exception:
            self.returned = f"an object of type {type(result).__name__}"

    @property
    def is_whole(self) -> bool:
        """Whether each argument is written out."""
        return "<" not in self.text and "…" not in self.text

    @property
    def name(self) -> str:
        return self.target.partition(".")[2]

    @property
    def is_scenario(self) -> bool:
        return self.target.startswith("scenarios.")


class Journal:
    """The last calls of one test."""

    def __init__(self) -> None:
        self.calls: deque[Call] = deque(maxlen=_KEPT)
        self._running: list[Call] = []

    def run(self, target: str, args: Any, kwargs: Any, code: Callable[[], Any]) -> Any:
        """Notes a call, makes it by running `code`, and returns the result, which is noted too."""
        call = self.note(target, args, kwargs)
        self._running.append(call)
        try:
            result = code()
        finally:
            self._running.pop()
        call.note_result(result)
        return result

    def note(self, target: str, args: Any, kwargs: Any) -> Call:
        """Notes a call with these arguments. It has not returned yet."""
        maker = self._running[-1] if self._running else None
        call = Call(target, as_call(target, args, kwargs), maker)
        self.calls.append(call)
        return call

    def attach_before(self, scenario: Callable[..., Any], args: Any, kwargs: Any, out: Any) -> None:
        """Gives each tensor in `out`, a scenario's result, its value before the call, as `.before`.

        An argument and an entry of the result with the same name are the same tensors, and so are
        the argument `weights` and the entry `params`.
        """
        if not isinstance(out, dict):
            return
        given = inspect.signature(scenario).bind(None, *args, **kwargs).arguments
        given.setdefault("params", given.get("weights"))
        for name in out.keys() & given.keys():
            pairs = zip(_as_list(given[name]), _as_list(out[name]), strict=False)
            for before, after in pairs:
                if type(before) is type(after) is torch.Tensor:
                    after.before = before  # type: ignore[attr-defined]

    def noting(self, package: Any) -> Any:
        """The package, for a scenario: calls of its functions are noted."""
        return _Noting(self, package, "")

    @property
    def student_calls(self) -> list[Call]:
        """The calls of the student's functions; and of scenarios that called none by name."""
        makers = {call.maker for call in self.calls}
        calls = (call for call in self.calls if not call.target.startswith("readers."))
        return [call for call in calls if call not in makers]

    @property
    def last(self) -> Call | None:
        """The student's call that was made last, or else the scenario."""
        calls = self.student_calls
        return calls[-1] if calls else None

    def that_returned(self, value: Any) -> Call | None:
        """The last of `student_calls` whose result reads like this value; if none, the last one.

        For a tensor in a file, or a list of them, the last call to which the file was given.
        """
        first = value[0] if isinstance(value, list) and value else value
        file = getattr(first, "file", None) if isinstance(first, torch.Tensor) else None
        if isinstance(file, str):
            named = f"/{Path(file).name}'"  # as a call's text has it
            made = (c for c in reversed(self.student_calls) if named in (c.maker or c).text)
            return next(made, None)
        text = show(value)
        found = (call for call in reversed(self.student_calls) if call.returned == text)
        return next(found, self.last)


class _Noting:
    """A package or module whose functions and classes note their calls."""

    def __init__(self, journal: Journal, value: Any, name: str) -> None:
        self._journal, self._value, self._name = journal, value, name

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._value, name)
        if isinstance(value, ModuleType):
            return _Noting(self._journal, value, name)
        if not isinstance(value, FunctionType | type):
            return value
        target = f"{self._name}.{name}"

        def noted(*args: Any, **kwargs: Any) -> Any:
            return self._journal.run(target, args, kwargs, lambda: value(*args, **kwargs))

        return noted


def as_call(target: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> str:
    """`flops.matmul_flops(2, 3, m=4)`; what is long is cut."""
    named = ", ".join(f"{name}={literal(value)}" for name, value in kwargs.items())
    positional = ", ".join(literal(value) for value in args)
    parts = (cut(positional, max(_SHOWN - len(named), _SHOWN // 2)), cut(named, _SHOWN))
    return f"{target}({', '.join(filter(None, parts))})"


def literal(value: Any) -> str:
    """A value as one could type it; what nobody would type is described, in <>."""
    try:
        return _literal(value)
    except Exception:  # a tensor without elements that can be read, for one
        return f"<{type(value).__name__}>"


def _literal(value: Any) -> str:
    kind = type(value)
    if kind in (list, tuple, dict):
        return _literal_items(value)
    if kind in (torch.Tensor, torch.nn.Parameter):
        text = _literal_tensor(value.detach())
        grad = value.grad if value.is_leaf else None
        if value.is_leaf and value.requires_grad and kind is torch.Tensor and text.endswith(")"):
            text = f"{text[:-1]}, requires_grad=True)"
        # A scenario gives parameters a gradient of nan, which no step may use.
        is_unused = grad is None or bool(grad.isnan().all())
        return text if is_unused else f"<{text}, whose grad is {literal(grad)}>"
    if kind is np.ndarray:
        if value.size > _ELEMENTS:
            return f"<{plain.describe(value)}>"
        return f"np.array({value.tolist()}, dtype=np.{value.dtype})"
    if isinstance(value, np.generic):
        return f"np.{value.dtype}({value.item()!r})"
    if isinstance(value, str | Path):
        return cut(repr(_short_path(str(value))), _SHOWN)
    if value is None or isinstance(value, int | float | bytes | complex | torch.dtype):
        return cut(show(value), _SHOWN)
    if inspect.isgenerator(value) or isinstance(value, StandInIterator):
        return "<an iterator>"
    if callable(value) and hasattr(value, "__name__"):
        return f"<{value.__name__.strip('<>')}>"
    return f"<{_known_name(kind)}>"


def _known_name(kind: type) -> str:
    """A class's name; of a class of the assignment's, that of a base which students know."""
    base = next(one for one in kind.__mro__ if not one.__module__.startswith("assignment."))
    if base is not object:
        return base.__name__
    return "an iterable" if issubclass(kind, Iterable) else kind.__name__


def _as_list(value: Any) -> Any:
    return value if isinstance(value, list | tuple) else [value]


def _literal_items(value: Any) -> str:
    texts, length = [], 0
    for item in value:
        text = literal(item)
        texts.append(f"{text}: {literal(value[item])}" if type(value) is dict else text)
        length += len(texts[-1])
        if length > _SHOWN:
            texts.append("…")
            break
    text = ", ".join(texts)
    if type(value) is tuple:
        return f"({text},)" if len(value) == 1 else f"({text})"
    return f"[{text}]" if type(value) is list else f"{{{text}}}"


def _literal_tensor(tensor: torch.Tensor) -> str:
    is_meta = tensor.device.type == "meta"
    strides = "" if is_meta or tensor.is_contiguous() else f", strides {tensor.stride()}"
    if is_meta or tensor.numel() > _ELEMENTS:
        return f"<{plain.describe(tensor)}{strides}>"
    dtype = "" if tensor.dtype in _USUAL and tensor.numel() else f", dtype={tensor.dtype}"
    text = f"torch.tensor({tensor.tolist()}{dtype})"
    return f"<{text}{strides}>" if strides else text


def _short_path(text: str) -> str:
    """A path without the temporary folders around it, which differ from run to run."""
    path = Path(text)
    if path.is_absolute() and path.is_relative_to(tempfile.gettempdir()):
        return f"…/{path.name}"
    return text
