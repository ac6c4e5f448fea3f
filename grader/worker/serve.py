"""The worker's loop: locked down, it says so, waits for "go", and answers calls.

All of this runs in the process that the submission's code will own. Nothing it says is believed.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import itertools
import os
import py_compile
import re
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from inspect import isfunction
from pathlib import Path
from typing import Any

import numpy as np
import torch
from beartype import BeartypeConf, beartype
from jaxtyping import Float, Int, jaxtyped
from torch.utils.checkpoint import checkpoint

from assignment import devices, plain
from assignment.implementation import DRIVERS, Package, resolve, seed_everything
from assignment.shapes import shape_error
from grader import wire
from grader.worker import lockdown
from grader.worker.probe import probe
from grader.worker.sandbox import Sandbox
from grader.worker.stubs import is_stub

# As in the handout: an int may stand for a float.
_TYPES = beartype(conf=BeartypeConf(is_pep484_tower=True))
_NO_MEMORY = ("allocate memory", "Cannot allocate", "enough memory", "out of memory")
_TEXT = 4000  # characters of a message or a traceback that go back
_FRAMES = 8  # of the submission's own code, likewise


def rehearse() -> None:
    """A little of what first calls do: shape checks, a forward pass, arrays.

    The zygote does it once, so that forks find the modules loaded.
    """
    for function in (_warm, _warm_too):
        checked(function)
    function = checked(_warm)
    inspect.signature(function).bind(torch.ones(2), [1], ("1",))
    function(torch.ones(2), [1], ("1",))
    with contextlib.suppress(Exception):
        function(torch.ones(2, 2), [1], ("1",))
    _model()(torch.zeros(4, 8))
    wire.decode(memoryview(bytearray(b"".join(map(bytes, wire.encode(0, [1.0])[1:])))))
    torch.stack([torch.from_numpy(np.arange(8, dtype=np.uint16).astype(np.int64))])


def rehearse_training() -> None:
    """Likewise seeds, steps in mixed precision, saving: all of it asks CUDA for its devices.

    Only where those are hidden, then: forks of a process that asked could not train.
    """
    seed_everything(0)
    model = _model()
    optimizer = torch.optim.AdamW(model.parameters())
    for dtype in (torch.bfloat16, torch.float16):
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=dtype):
            y = checkpoint(model, torch.randn(4, 8), use_reentrant=False)
            loss = torch.nn.functional.mse_loss(y, torch.zeros(4, 8))
        torch.autograd.backward(loss)
        optimizer.step()
    file = io.BytesIO()
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, file)
    file.seek(0)
    torch.load(file, weights_only=True)


def _model() -> torch.nn.Module:
    return torch.nn.Sequential(
        torch.nn.Linear(8, 8), torch.nn.GELU(), torch.nn.Dropout(), torch.nn.Linear(8, 8)
    )


def _warm(
    x: Float[torch.Tensor, " n"], sizes: Sequence[int], names: tuple[str, ...]
) -> float | None:
    return float(x.square().sum())


def _warm_too(
    a: Callable[..., Any], b: Iterable[float], c: Mapping[str, int], d: Int[np.ndarray, " n"] | None
) -> list[float]:
    return []


def checked(function: Any) -> Any:
    """A function whose annotations are checked at each call, if it annotates a shape.

    Only functions that are called from outside are wrapped, when they are first called, and only
    those with shapes: checking all there is, as the handout does, takes ten times as long as
    everything else that a worker does before its first call.
    """
    if isfunction(function) and _annotates_shapes(function):
        return jaxtyped(typechecker=_TYPES)(function)
    return function


def _annotates_shapes(function: Any) -> bool:
    """Whether an annotation names something of jaxtyping's; it may be text, not yet evaluated."""
    return any(
        getattr(function.__globals__.get(word, annotation), "__module__", "").startswith(
            "jaxtyping"
        )
        for annotation in function.__annotations__.values()
        for word in (re.findall(r"\w+", annotation) if isinstance(annotation, str) else [""])
    )


class CheckedPackage(Package):
    """The student's package, in a folder; functions taken from its modules are checked."""

    def __init__(self, name: str, folder: str) -> None:
        super().__init__(name)
        self._root = f"{folder}/"

    def __getattr__(self, module: str) -> Any:
        found = _CheckedModule(super().__getattr__(module))
        setattr(self, module, found)  # or each call would wrap its function anew
        return found


class _CheckedModule:
    def __init__(self, module: Any) -> None:
        self.bare = module

    def __getattr__(self, name: str) -> Any:
        value = checked(getattr(self.bare, name))
        setattr(self, name, value)
        return value


def run(
    sandbox: Sandbox,
    channel: int,
    output: int,
    request: dict[str, Any],
    places: lockdown.Places,
    uid: int,
) -> None:
    """A worker's whole life, from just after its fork. Never returns."""
    try:
        try:
            inside = sandbox.enter(channel, output, places, uid, request["cuda"])
            found = {} if sandbox.tier == "none" else _probed(request, sandbox)
        except BaseException as error:
            _send(channel, 0, {"lockdown": f"{type(error).__name__}: {error}"})
            os._exit(70)
        _send(channel, 0, {"probes": found, "scratch": inside.scratch})
        _serve(channel, inside)
    finally:
        os._exit(0)


def _probed(request: dict[str, Any], sandbox: Sandbox) -> dict[str, str]:
    hidden = tuple(request["hidden"])
    return probe(request["canary"], request["results"], request["judge"], hidden, sandbox.common)


def _serve(channel: int, places: lockdown.Places) -> None:
    call_id, go = _receive(channel)
    lockdown.limit_memory(go["memory_mib"], go["address_space"])
    seed_everything(go["seed"])
    hidden = devices.hidden()
    os.environ.clear()
    os.environ.update(HOME=places.tmp, TMPDIR=places.tmp, LANG="C.UTF-8", **hidden)
    tempfile.tempdir = None  # the zygote may have asked before: that is where others write
    sys.path.append(places.submission)
    package = CheckedPackage(go["package"], places.submission)
    _send(channel, call_id, {"gone": True})
    while True:
        call_id, request = _receive(channel)
        if "compile" in request:
            answer = {"result": bytecode(places, request["compile"])}
        elif "survey" in request:
            answer = survey(package, request["survey"], request["functions"])
        else:
            answer = call(package, request["call"], request["args"], request["kwargs"])
        for stream in (sys.stdout, sys.stderr):  # what was printed outlives this process
            with contextlib.suppress(BaseException):
                stream.flush()
        try:
            _send(channel, call_id, answer, what := f"what {request.get('call')} returned")
        except plain.NotPlainData as error:
            message = str(error).replace(f"{what}['result']", what)
            _send(channel, call_id, {"failed": "not_plain_data", "message": message[:_TEXT]})


def call(
    package: CheckedPackage, target: str, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Calls a target; {"result": value}, or {"failed": cause, …} with what went wrong."""
    module, _, name = target.partition(".")
    if module in DRIVERS:
        function = resolve(package, target)
    else:
        if isinstance(imported := _import(package, module), dict):
            return imported
        try:
            function = getattr(imported, name)
        except AttributeError:
            return {"failed": "missing", "message": f"{module}.py has no {name}"}
        except BaseException as error:  # annotations that cannot be checked
            return _failure("wrong_signature", error, package)
        try:
            inspect.signature(function).bind(*args, **kwargs)
        except (TypeError, ValueError) as error:
            return _failure("wrong_signature", error, package)
    try:
        return {"result": function(*args, **kwargs)}
    except NotImplementedError as error:
        return _failure("not_started", error, package)
    except plain.NotPlainData as error:
        return _failure("not_plain_data", error, package)
    except BaseException as error:
        return _failure("memory" if _out_of_memory(error) else "exception", error, package)


def bytecode(places: lockdown.Places, files: list[str]) -> dict[str, bytes]:
    """What importing each file would compile it to; those that cannot be compiled are left out."""
    made = f"{places.tmp}/compiled"
    found: dict[str, bytes] = {}
    for name in files:
        with contextlib.suppress(Exception):
            py_compile.compile(
                f"{places.submission}/{name}",
                cfile=made,
                doraise=True,
                invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
            )
            found[name] = Path(made).read_bytes()
    return found


def survey(package: CheckedPackage, module: str, functions: list[str]) -> dict[str, Any]:
    """Imports one module; its functions' parameters and its stubs, or what stopped the import."""
    if isinstance(imported := _import(package, module), dict):
        return imported
    parameters: dict[str, Any] = {}
    stubs = []
    for name in functions:
        try:
            function = getattr(imported.bare, name, None)
            parameters[name] = list(inspect.signature(function).parameters)  # type: ignore[arg-type]
        except BaseException:  # the module may be anything
            parameters[name] = None
            continue
        if is_stub(function):
            stubs.append(name)
    return {"result": parameters, "stubs": stubs}


def _import(package: CheckedPackage, module: str) -> Any:
    """The imported module, or a failure."""
    try:
        return getattr(package, module)
    except BaseException as error:
        whole = package._name
        missing = isinstance(error, ModuleNotFoundError) and error.name in (
            whole,
            f"{whole}.{module}",
        )
        return _failure("missing" if missing else "import_failed", error, package)


def _failure(kind: str, error: BaseException, package: CheckedPackage) -> dict[str, Any]:
    builtin = next(c.__name__ for c in type(error).__mro__ if c.__module__ == "builtins")
    frames = _own_frames(error, package._root)
    file, line = "", 0
    if isinstance(error, SyntaxError):
        file, line = str(error.filename or ""), int(error.lineno or 0)
    elif frames:
        file, line = package._root + frames[-1][0], frames[-1][1]
    elif error.__traceback__ is not None:
        frame, line = list(traceback.walk_tb(error.__traceback__))[-1]
        file = frame.f_code.co_filename
    return {
        "failed": kind,
        "exception": builtin,
        "type": _sendable(type(error).__qualname__[:200]),
        "message": _text(error).replace(package._root, ""),
        "trace": _trace(error),
        "frames": frames,
        "file": _sendable(file[:200]),
        "line": line,
    }


def _own_frames(error: BaseException, root: str) -> list[list[Any]]:
    """Where the submission's own code was: file below `root`, line and function, innermost last.

    A function that calls itself stands there once.
    """
    own = [
        [_sendable(file.removeprefix(root)[:200]), line, _sendable(frame.f_code.co_name[:80])]
        for frame, line in traceback.walk_tb(error.__traceback__)
        if (file := frame.f_code.co_filename).startswith(root)
    ]
    return [frame for frame, _ in itertools.groupby(own)][-_FRAMES:]


def _text(error: BaseException) -> str:
    try:
        text = str(error)
        return _sendable((shape_error(text) or text)[:_TEXT])
    except BaseException:
        return "(its text cannot be read)"


def _trace(error: BaseException) -> str:
    try:
        return _sendable("".join(traceback.format_exception(error))[-_TEXT:])
    except BaseException:  # its text raises, or a file's name holds a null byte
        return "(its traceback cannot be read)"


def _sendable(text: str) -> str:
    """Text as UTF-8 can carry it: of a lone surrogate, in a file's name perhaps, its escape."""
    return text.encode(errors="backslashreplace").decode()


def _out_of_memory(error: BaseException) -> bool:
    return isinstance(error, MemoryError) or (
        isinstance(error, RuntimeError | OSError)
        and any(words in _text(error) for words in _NO_MEMORY)
    )


def _send(channel: int, call_id: int, value: Any, what: str = "the answer") -> None:
    parts = [memoryview(part) for part in wire.encode(call_id, value, what)]
    while parts:
        sent = os.writev(channel, parts[:16])
        while parts and sent >= parts[0].nbytes:
            sent -= parts.pop(0).nbytes
        if parts:
            parts[0] = parts[0][sent:]


def _receive(channel: int) -> tuple[int, Any]:
    header = memoryview(bytearray(wire.HEADER.size))
    _fill(channel, header)
    call_id, length = wire.decode_header(bytes(header))
    body = wire.new_body(length)
    _fill(channel, body)
    return call_id, wire.decode(body)


def _fill(channel: int, room: memoryview) -> None:
    filled = 0
    while filled < len(room):
        got = os.readv(channel, [room[filled:]])
        if not got:
            os._exit(0)  # the judge is done with this worker
        filled += got
