"""`make watch`: tests an exercise at each save, and goes on to the next one when it passes.

A save of another module leads to that one's exercise.

One process imports torch and pytest, and never your code. Each run is a fork of it, so that a
verdict takes a fraction of a second. Where no process can be forked safely (Windows, macOS), each
run starts a new Python. A save during a run ends it: a loop without end does no harm.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.text import Text

from assignment import manifest
from assignment.manifest import Exercise
from assignment.student import states
from assignment.student.verbs import command

_PERIOD = 0.02  # seconds between two looks at the files and the keyboard
_LIBRARIES = ("numpy", "torch", "beartype", "jaxtyping", "einops", "_pytest.assertion.rewrite")
# Plugins are imported before pytest. What `progress.py` says of the next exercise is said here.
_QUIET = ("-q", "-W", "ignore::pytest.PytestAssertRewriteWarning")
_KEYS = "Enter: again  n: next  b: back  h: hint  l: list  o: open  r: reset  q: quit"
_END_OF_INPUT = "\x04"  # also what Ctrl-D sends


class Run:
    """The public tests of one exercise, running in a process of their own."""

    def __init__(self, root: Path, exercise: Exercise) -> None:
        arguments = [f"tests/test_{exercise.chapter}.py", "--ex", exercise.id, *_QUIET]
        self._child: subprocess.Popen[bytes] | None = None
        self._pid = 0
        if can_fork():
            self._pid = _fork(arguments)
        else:
            self._child = subprocess.Popen([sys.executable, "-m", "pytest", *arguments], cwd=root)

    def status(self) -> int | None:
        """The exit status; None while it runs."""
        if self._child is not None:
            return self._child.poll()
        pid, status = os.waitpid(self._pid, os.WNOHANG)
        return os.waitstatus_to_exitcode(status) if pid else None

    def stop(self) -> None:
        """Kills it; not to be called once `status` has returned an exit status."""
        if self._child is not None:
            self._child.kill()
            self._child.wait()
        else:
            os.kill(self._pid, signal.SIGKILL)
            os.waitpid(self._pid, 0)


class Watch:
    """The loop: waits for a save or a key, and runs the tests, of `exercise` first.

    `hint` shows the hint of one, or lists all without one; `reset` restores the stubs of one.
    """

    def __init__(
        self,
        console: Console,
        root: Path,
        exercise: Exercise,
        hint: Callable[[str | None], None],
        reset: Callable[[Exercise], None],
    ) -> None:
        self._console, self._root, self._hint, self._reset = console, root, hint, reset
        self._exercises = list(manifest.load())
        self._index = self._exercises.index(exercise)
        self._is_saved = False  # whether a file was saved since the keys n and b were last pressed
        self._package = root / manifest.load().package

    def loop(self) -> None:
        """Runs until the key q or Ctrl-C; at the end of the input until the run has ended."""
        with keyboard() as key_pressed, contextlib.suppress(KeyboardInterrupt):
            run: Run | None = None
            began, seen, wanted, last_key = 0.0, self._files(), True, ""
            try:
                while True:
                    if (files := self._files()) != seen:
                        self._turn_to({Path(name).stem for name, _ in files.items() - seen.items()})
                        seen, wanted, self._is_saved = files, True, True
                    if wanted:
                        if run is not None:
                            run.stop()
                        wanted, began, run = False, time.monotonic(), self._start()
                    if run is not None and (status := run.status()) is not None:
                        run = None
                        self._finish(status, time.monotonic() - began)
                    key = key_pressed(_PERIOD)
                    match key:
                        case "q":
                            return
                        case _ if key == _END_OF_INPUT:
                            if run is None:
                                return
                            time.sleep(_PERIOD)
                        case "\n" | "\r":
                            wanted = True
                        case "n" | "b":
                            self._is_saved, wanted = False, True
                            step = 1 if key == "n" else -1
                            self._index = (self._index + step) % len(self._exercises)
                        case "h":
                            self._hint(self._exercise.id)
                        case "l":
                            self._hint(None)
                        case "o":
                            self._open()
                        case "r" if last_key == "r":
                            self._reset(self._exercise)  # a change of the file: it is tested again
                        case "r":
                            self._console.print(
                                f"Press r again to restore the stubs of {self._exercise.id}. "
                                "Your code is saved in backups/."
                            )
                    last_key = key or last_key
            finally:
                if run is not None:
                    run.stop()

    @property
    def _exercise(self) -> Exercise:
        return self._exercises[self._index]

    def _files(self) -> dict[str, tuple[int, int]]:
        """Each file of the student's, with its modification time and size."""
        found = {}
        for path in self._package.rglob("*.py"):
            with contextlib.suppress(OSError):  # an editor replaces it at this moment
                status = path.stat()
                found[str(path)] = status.st_mtime_ns, status.st_size
        return found

    def _turn_to(self, saved: set[str]) -> None:
        """Goes to an exercise in the saved modules, unless the current one is in one of them."""
        if saved.isdisjoint(self._exercise.modules):
            of_them = [e for e in self._exercises if not saved.isdisjoint(e.modules)]
            following = _following(self._root, of_them)
            if of_them:
                chosen = following if following in of_them else of_them[0]
                self._index = self._exercises.index(chosen)

    def _start(self) -> Run:
        self._console.clear()
        self._console.print(Text(f"{self._exercise.title} ({self._exercise.id})", style="bold"))
        sys.stdout.flush()
        return Run(self._root, self._exercise)

    def _finish(self, status: int, seconds: float) -> None:
        """Says how long it took; if a save made all tests pass, the next exercise follows."""
        where = f"{self._exercise.id}, {seconds:.2f} s"
        if status < 0:
            self._console.print(Text(f"The process ended with signal {-status}.", style="red"))
        elif status == 0 and (following := _following(self._root)) is not None:
            if self._is_saved:
                self._index = self._exercises.index(following)
                where = f"now {self._exercise.id}"
        elif status == 0:
            done = f"Every public test passes. Hand in with:  {command('submit')}"
            self._console.print(Text(done, style="green bold"))
        self._console.print(Text(f"[{where}]   {_KEYS}", style="dim"))

    def _open(self) -> None:
        """Opens the exercise's file in the editor that the environment names."""
        editor = os.environ.get("VISUAL") or os.environ.get("EDITOR")
        file = self._package / f"{self._exercise.modules[0]}.py"
        if not editor:
            self._console.print(f"{file}   (set EDITOR to open it from here)")
            return
        try:
            subprocess.run([*editor.split(), str(file)], check=False)
        except OSError as error:
            self._console.print(Text(f"{editor} cannot be started: {error}", style="red"))


def first_open(root: Path) -> Exercise:
    """The first exercise that is not known to pass; the first of all if there is none."""
    return _following(root) or next(iter(manifest.load()))


def _following(root: Path, preferred: Iterable[Exercise] = ()) -> Exercise | None:
    return states.first_open(states.read(root, root / manifest.load().package), {}, preferred)


def can_fork() -> bool:
    """Whether a process with torch loaded can be forked: macOS has libraries that break in one."""
    return sys.platform == "linux"


def preload() -> None:
    """Imports once what every run needs, for all forks of this process."""
    for name in _LIBRARIES:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    for name in ("assignment.plugin", "assignment.scenarios"):
        importlib.import_module(name)
    gc.collect()
    gc.freeze()  # a collection in a run does not look through what is loaded here


def _fork(arguments: list[str]) -> int:
    """Runs pytest with these arguments in a fork of this process; returns its process id."""
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid:
        return pid
    status = 3
    try:
        import pytest

        status = int(pytest.main(arguments))
    except BaseException as error:
        print(f"error: {error!r}", file=sys.stderr)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


@contextmanager
def keyboard() -> Iterator[Callable[[float], str]]:
    """Yields a function that waits so many seconds for a key, and returns it, or ""."""
    if not sys.stdin.isatty():
        yield _next_byte
        return
    try:
        import termios
        import tty
    except ImportError:
        yield _windows_key
        return
    before = termios.tcgetattr(sys.stdin)
    try:
        tty.setcbreak(sys.stdin)
        yield _next_byte
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)


def _next_byte(seconds: float) -> str:
    """The next byte of the input, such as a key of a terminal; "" if none comes in time."""
    import select

    if os.name == "nt":  # there only sockets can be waited for
        time.sleep(seconds)
        return ""
    if not select.select([sys.stdin], [], [], seconds)[0]:
        return ""
    return os.read(sys.stdin.fileno(), 1).decode(errors="replace") or _END_OF_INPUT


def _windows_key(seconds: float) -> str:
    """The next key of a Windows console; "" if none comes in time."""
    import msvcrt

    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if msvcrt.kbhit():  # type: ignore[attr-defined]
            return str(msvcrt.getwch())  # type: ignore[attr-defined]
        time.sleep(0.01)
    return ""
