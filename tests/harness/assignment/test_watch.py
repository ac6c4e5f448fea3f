"""`make watch`, in a terminal of its own: a save is tested, and what passes leads to the next."""

import io
import json
import os
import pty
import re
import select
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from rich.console import Console

from assignment import manifest
from assignment.student import states, watch
from tests.harness import warm
from tests.harness.assignment.students import REFERENCE, environment, said_of_states
from tests.harness.conftest import MAX_WAIT

PROMPT = "q: quit"  # the end of what follows each run


class Terminal:
    """A watch in a terminal: `shown` waits for a text, and returns all that came before it."""

    def __init__(self, folder, *arguments):
        self.folder = folder
        self._terminal, inside = pty.openpty()
        command = ("-m", "assignment", "watch", *arguments)
        run = partial(warm.run_on, [inside] * 3, *command, cwd=folder, env=environment())
        self._status = ThreadPoolExecutor(1).submit(run)
        self._status.add_done_callback(lambda _: os.close(inside))
        self._unread = ""

    def shown(self, text):
        end = time.monotonic() + MAX_WAIT
        while text not in self._unread:
            assert time.monotonic() < end, f"{text!r} was not shown: {self._unread}"
            if select.select([self._terminal], [], [], 0.1)[0]:
                self._unread += os.read(self._terminal, 2**16).decode(errors="replace")
        before, _, self._unread = self._unread.partition(text)
        return before

    def press(self, key):
        os.write(self._terminal, key.encode())

    def save(self, module, text):
        """In one step: a run of half a file would show something else."""
        path = self.folder / "resource_accounting" / f"{module}.py"
        path.with_suffix(".new").write_text(text, encoding="utf-8")
        path.with_suffix(".new").replace(path)

    def ends(self):
        """The exit status."""
        return self._status.result(MAX_WAIT)

    def close(self):
        os.close(self._terminal)  # ends it
        self._status.exception(MAX_WAIT)


@pytest.fixture
def terminal(workspace):
    """Starts a watch in a fresh copy of the handout."""
    made = []

    def start(*arguments, passed=()):
        entries = {name: ["passed", ""] for name in passed}
        (noted := workspace / states.FILE).parent.mkdir(parents=True, exist_ok=True)
        noted.write_text(json.dumps(entries))
        made.append(Terminal(workspace, *arguments))
        return made[-1]

    yield start
    for one in made:
        one.close()


def test_save_is_tested_and_what_passes_leads_to_the_next(terminal):
    one = terminal()
    assert "not started" in one.shown(PROMPT)
    right = (REFERENCE / "dtypes.py").read_text(encoding="utf-8")
    one.save("dtypes", right.replace("dtype.itemsize", "dtype.itemsize + 1"))
    assert "in progress" in one.shown(PROMPT)
    one.save("dtypes", right)
    last = one.shown(PROMPT)
    assert "passed" in last
    assert "[now tensor_bytes]" in last
    one.press("\n")
    assert "tensor_bytes" in one.shown(PROMPT)
    one.press("q")
    assert one.ends() == 0
    said = said_of_states(one.folder)
    assert re.search(r"  pass +\d+ of \d+: bytes_per_element", said), said


def test_what_was_asked_for_is_watched_until_another_module_is_saved(terminal):
    """Also if it passes already"""
    one = terminal("storage_bytes")
    one.shown(PROMPT)
    one.save("dtypes", (REFERENCE / "dtypes.py").read_text(encoding="utf-8"))
    one.shown("[now bytes_per_element]")
    one.press("n")
    one.press("n")
    one.shown("[storage_bytes, ")
    one.shown(PROMPT)
    one.save("strides", "def (")
    assert "storage_index" in (said := one.shown(PROMPT))
    assert "SyntaxError" in said
    one.press("q")
    assert one.ends() == 0


def test_keys_move_and_show_hints(terminal):
    one = terminal("gather")
    one.shown(PROMPT)
    one.press("h")
    one.shown("assignment/writeup/strides.md")
    one.press("b")
    assert "view_strides" in one.shown(PROMPT)
    one.press("n")
    assert "gather" in one.shown(PROMPT)
    one.press("l")
    one.shown("true_timer")
    one.press("q")
    assert one.ends() == 0


def test_reset_takes_two_keys(terminal):
    one = terminal()
    one.shown(PROMPT)
    module = one.folder / "resource_accounting" / "dtypes.py"
    stub = module.read_text(encoding="utf-8")
    one.save("dtypes", (REFERENCE / "dtypes.py").read_text(encoding="utf-8"))
    one.shown("[now tensor_bytes]")
    for key, answer in (("r", "Press r again"), ("b", PROMPT), ("r", "Press r again")):
        one.press(key)
        one.shown(answer)
    assert module.read_text(encoding="utf-8") != stub  # another key came between
    one.press("r")
    one.shown("your code is saved in backups/")
    assert "not started" in one.shown(PROMPT)
    one.save("dtypes", "def (")
    one.shown(PROMPT)
    one.press("rr")
    one.shown("error: ")
    one.press("q")
    assert one.ends() == 0


def test_end_of_the_input_leaves_time_for_one_run(pristine):
    done = warm.run("-m", "assignment", "watch", "bytes_per_element", cwd=pristine)
    assert done.returncode == 0
    assert "not started" in done.stdout


def test_it_begins_where_the_last_runs_ended_and_goes_on_after_code_that_dies_or_never_ends(
    terminal,
):
    one = terminal(passed=["bytes_per_element", "tensor_bytes"])
    assert "storage_bytes" in one.shown(PROMPT)
    right = (REFERENCE / "dtypes.py").read_text(encoding="utf-8")
    begins = right + "\n\ndef storage_bytes(*_):\n    print('begun', flush=True)\n"
    one.save("dtypes", begins + "    import os\n    os.kill(os.getpid(), 11)\n")
    assert "signal 11" in one.shown(PROMPT)
    one.save("dtypes", begins + "    while True:\n        pass\n")
    time.sleep(0.5)  # not a moment that anything depends on: it may have begun or not
    one.save("dtypes", right)
    assert "passed" in one.shown("[now ")
    one.press("q")
    assert one.ends() == 0


def test_unknown_exercise_is_an_error_with_a_suggestion(terminal):
    one = terminal("view_stride")
    one.shown("view_strides")
    assert one.ends() == 2


def test_without_forks_a_run_is_a_new_python(pristine, monkeypatch):
    class Warm:
        """In place of a process that imports torch."""

        def __init__(self, command, cwd):
            assert command[0] == sys.executable
            self._done = warm.run(*command[1:], cwd=cwd, env=environment())

        def poll(self):
            return self._done.returncode

    monkeypatch.setattr(watch, "can_fork", lambda: False)
    monkeypatch.setattr(subprocess, "Popen", Warm)
    run = watch.Run(pristine, watch.first_open(pristine))
    assert run.status() == 1  # nothing is written yet


def test_when_every_exercise_passes_it_says_so(tmp_path):
    """Instead of starting over with the first one"""
    console, last = Console(file=io.StringIO()), list(manifest.load())[-1]
    known = {exercise.id: ["passed", ""] for exercise in manifest.load()}
    (noted := tmp_path / states.FILE).parent.mkdir(parents=True)
    noted.write_text(json.dumps(known))
    watched = watch.Watch(console, tmp_path, last, hint=print, reset=print)
    watched._finish(0, 1.0)
    assert "Every public test passes. Hand in with:" in console.file.getvalue()
    assert f"[{last.id}, 1.00 s]" in console.file.getvalue()


@pytest.mark.parametrize("text", ["", "{", '{"gather": 1}', "[1, 2]", "null"])
def test_what_is_noted_may_be_anything(tmp_path, text):
    (noted := tmp_path / states.FILE).parent.mkdir(parents=True)
    noted.write_text(text)
    assert watch.first_open(tmp_path) == next(iter(manifest.load()))
