"""The fuzzer for the judge's end of the protocol: the campaign `frames`.

    python -m tests.fuzz.wire --frames 10000000
    python -m tests.fuzz.wire build/fuzz/findings/frame-…     # checks one frame, without atheris

atheris guides it by coverage: an input is one frame, and is kept and mutated further if it reached
new code of the decoder. Coverage makes the decoder five times slower, so for each input some
mutants, of itself and of a valid frame, are read without it. A frame that breaks a rule of `check`
is written to build/fuzz/findings.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import random
import resource
import signal
import sys
import time
import warnings
import zlib
from pathlib import Path
from types import FrameType, ModuleType

import torch

from grader.wire import claims
from grader.wire import frames as protocol
from tests.fuzz.check import Checker, Finding
from tests.fuzz.frames import mutants, seeds

BUILD = Path("build/fuzz")
MUTANTS = 31  # for each input
THOROUGH = 100  # one in this many frames is checked thoroughly
EVERY = 500_000  # frames between two lines of output
LONGEST = 1024  # bytes of an input; a mutant may be longer
SECONDS = 20  # CPU seconds for one input and its mutants
HANGS = 4 * 3600  # wall seconds until libFuzzer ends the run; long, as the process may be paused
HEADROOM = 2**30  # bytes of memory that the process may use in addition to those at the start


def main() -> None:
    assert __doc__ is not None
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--frames", type=int, default=10_000_000, help="number of frames to read")
    parser.add_argument("--seed", type=int, default=0, help="0 draws a random one")
    parser.add_argument("files", nargs="*", type=Path, help="files of frames to read instead")
    options = parser.parse_args()
    warnings.simplefilter("ignore")  # torch's, about half-precision complex numbers
    torch.set_num_threads(1)
    if options.files:
        _read(options.files)
    else:
        _fuzz(options.frames, options.seed)


def _read(files: list[Path]) -> None:
    checker = Checker(clock=time.thread_time_ns)
    for file in files:
        checker.check(file.read_bytes())
        print(f"{file}: nothing found")


def _fuzz(frames: int, seed: int) -> None:
    try:
        import atheris  # an extra that not every machine has
    except ModuleNotFoundError:
        install = ".venv/bin/python -m pip install -c constraints.txt -e '.[fuzz]'"
        sys.exit(f"atheris is not installed: {install}")

    for name in ("seeds", "corpus", "findings"):
        (BUILD / name).mkdir(parents=True, exist_ok=True)
    for i, frame in enumerate(seeds()):
        (BUILD / "seeds" / str(i)).write_bytes(frame)
    watched = _copy_of(protocol)
    reader = [method for method in vars(watched.Reader).values() if callable(method)]
    for function in (watched.decode_header, watched.decode, *reader):
        atheris.instrument_func(function)
    for function in (
        claims.result,
        claims.results,
        claims.bytecode,
        claims.import_report,
        claims.failure_detail,
    ):
        atheris.instrument_func(function)
    _limit_memory()

    def mutate(data: bytes, size: int, seed: int) -> bytes:
        rng = random.Random(seed)
        if rng.random() < 0.3:
            return bytes(atheris.Mutate(data, size))
        return next(mutants(data, rng, 1))[:size]

    atheris.Setup(
        [
            sys.argv[0],
            *(f"-seed={seed}", f"-max_len={LONGEST}", f"-timeout={HANGS}", "-rss_limit_mb=0"),
            *("-verbosity=0", f"-artifact_prefix={BUILD / 'findings'}/"),
            *(str(BUILD / "corpus"), str(BUILD / "seeds")),
        ],
        _Run(frames, watched).input,
        custom_mutator=mutate,
    )
    atheris.Fuzz()


def _copy_of(module: ModuleType) -> ModuleType:
    """A second copy of a module: only this one is instrumented."""
    spec = importlib.util.spec_from_file_location("watched", str(module.__file__))
    assert spec is not None
    assert spec.loader is not None
    copy = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(copy)
    return copy


def _limit_memory() -> None:
    """Makes an allocation far beyond a frame's needs a MemoryError, which is a finding."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + HEADROOM
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def _too_long(number: int, at: FrameType | None) -> None:
    raise Finding(f"a frame took more than {SECONDS} s")


class _Run:
    """Counts and reports frames, and ends the process after the last one or at a finding."""

    def __init__(self, frames: int, watched: ModuleType) -> None:
        self._wanted, self._seeds = frames, seeds()
        clock = time.thread_time_ns  # CPU time: a busy machine changes nothing
        self._watched, self._plain = Checker(watched, clock), Checker(clock=clock)
        self._began = time.monotonic()
        signal.signal(signal.SIGVTALRM, _too_long)

    def input(self, data: bytes) -> None:
        """Checks one input of libFuzzer, mutants of it and mutants of a valid frame."""
        signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
        self._check(self._watched, data)
        rng = random.Random(zlib.crc32(data))
        for frame in mutants(data, rng, MUTANTS // 2):
            self._check(self._plain, frame)
        for frame in mutants(rng.choice(self._seeds), rng, MUTANTS - MUTANTS // 2):
            self._check(self._plain, frame)

    @property
    def _frames(self) -> int:
        return self._watched.frames + self._plain.frames

    def _check(self, checker: Checker, frame: bytes) -> None:
        # atheris's own calls in the watched copy would count as steps.
        thorough = checker is self._plain and checker.frames % THOROUGH == 0
        try:
            checker.check(frame, thorough=thorough)
        except Finding as finding:
            file = BUILD / "findings" / f"frame-{zlib.crc32(frame):08x}"
            file.write_bytes(frame)
            print(f"FOUND: {finding}\n  {file}, {len(frame)} bytes")
            self._print_progress()
            raise
        if self._frames == self._wanted or self._frames % EVERY == 0:
            self._print_progress()
        if self._frames == self._wanted:
            print("nothing found", flush=True)
            os._exit(0)  # libFuzzer has no call to end a run

    def _print_progress(self) -> None:
        seconds = time.monotonic() - self._began
        values = self._watched.values + self._plain.values
        print(
            f"{self._frames:,} frames in {seconds:.0f} s ({time.process_time():.0f} s of the "
            f"processor), {self._frames / seconds:,.0f} a second; "
            f"{values / self._frames:.0%} of them were values",
            flush=True,
        )


if __name__ == "__main__":
    main()
