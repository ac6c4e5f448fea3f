"""Runs the repository's tests under unusual conditions: a busy machine, and other environments.

    python -m tests.campaigns.gates load --runs 3 --busy 4 --slow 3 [--stops] [TEST …]
    python -m tests.campaigns.gates matrix [--pythons python3.12 …] [-- TEST …]

`load` runs them repeatedly beside busy loops, as if the processor were slow, or on a machine that
stops for seconds at any instruction. `matrix` runs them once in each of six environments, with each
Python in turn, in a clone of the last commit. The output of pytest is kept in build/.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import cycle
from pathlib import Path

from grader import signals
from grader.sandbox import kernel
from tests.campaigns import slow_cpu
from tests.harness.container import REPOSITORY
from tests.harness.processes import descendants, status

BUILD = REPOSITORY / "build"
# As `make test`, with a process for each core.
PYTEST = ("-m", "pytest", "-n", "auto", "--dist", "worksteal")
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
_VERSION = "import platform; print(platform.python_version())"


# What computes in torch, on how many threads, and in numpy; "" leaves the choice to the machine.
# Any two values of two variables meet.
VARIABLES = ("ATEN_CPU_CAPABILITY", "OMP_NUM_THREADS", "OPENBLAS_CORETYPE")
ENVIRONMENTS = (
    ("default", "1", "Haswell"),
    ("default", "2", ""),
    ("avx2", "1", ""),
    ("avx2", "2", "Haswell"),
    ("avx512", "1", "Haswell"),
    ("avx512", "2", ""),
)


def run_tests(
    what: str,
    command: Sequence[str | Path],
    tree: Path,
    log: Path,
    variables: Mapping[str, str],
    stops: bool = False,
) -> bool:
    """Runs pytest in `tree`, prints a line on `what`; returns whether all tests were green.

    pytest's output goes to `log`. `stops`: see `stop_at_random`.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    begun = time.monotonic()
    with log.open("w") as file:
        environment = {**os.environ, **variables}
        run = subprocess.Popen(
            command, cwd=tree, env=environment, stdout=file, stderr=subprocess.STDOUT
        )
        try:
            stopped = f", {stop_at_random(run)} stops" if stops else ""
            ended = run.wait()
        except BaseException:
            run.kill()
            run.wait()
            raise
    lines = log.read_text(errors="replace").strip().splitlines() or ["it printed nothing"]
    summary = re.sub(r" in [\d.]+s.*", "", lines[-1].strip("= "))
    colour = "RED" if ended else "green"
    print(f"{what}: {colour} in {time.monotonic() - begun:.0f} s{stopped}: {summary}", flush=True)
    if ended:
        print(f"  {log}", flush=True)
    return not ended


# --- load ----------------------------------------------------------------------------------------


@contextmanager
def busy_loops(count: int) -> Iterator[None]:
    """Runs `count` busy loops, each a process that ends with this one, however this one ends."""

    def end_with_parent() -> None:
        kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)

    command = [sys.executable, "-c", "while True: pass"]
    loops = [subprocess.Popen(command, preexec_fn=end_with_parent) for _ in range(count)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def stop_at_random(run: subprocess.Popen[bytes]) -> int:
    """Stops a random process of a run, or all of them, for up to 5 s, again and again.

    Those that the judge has stopped stay so. Returns how often, once the run has ended.
    """
    count = 0
    while run.poll() is None:
        every = [run.pid, *descendants(run.pid)]
        chosen = every if random.random() < 0.3 else [random.choice(every)]
        held = []
        for pid in chosen:
            with suppress(ProcessLookupError):
                if not status(pid).get("State", "Z").startswith(("T", "Z")):
                    held.append(os.pidfd_open(pid))
        try:
            _signal(held, signal.SIGSTOP)
            time.sleep(5 * random.random() ** 3)  # short stops reach more instructions
        finally:
            _signal(held, signal.SIGCONT)
            for descriptor in held:
                os.close(descriptor)
        count += 1
        time.sleep(random.random() / 4)
    return count


def _signal(held: Sequence[int], number: int) -> None:
    for descriptor in held:
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(descriptor, number)


def load(runs: int, busy: int, slow: float, stops: bool, tests: Sequence[str]) -> bool:
    """Runs the tests `runs` times beside `busy` loops; returns whether all were green.

    Workers are charged `slow` times the CPU time that they need; `stops`: see `stop_at_random`.
    """
    green = True
    beside = f"{busy} busy loops" + (f", {slow:g} times the CPU time" if slow != 1 else "")
    command = [sys.executable, *PYTEST, "-p", slow_cpu.__name__, *tests]
    variables = {slow_cpu.VARIABLE: str(slow)}
    for i in range(1, runs + 1):
        what, log = f"run {i} of {runs}, {beside}", BUILD / "load" / f"busy-{busy}-run-{i}.log"
        with busy_loops(busy):
            green &= run_tests(what, command, REPOSITORY, log, variables, stops)
    return green


# --- matrix --------------------------------------------------------------------------------------


def find_python(name: str) -> tuple[Path, str] | None:
    """The interpreter for a version such as "3.12", a command or a path, and its full version.

    None if there is none. A pyenv command may belong to a version that is not installed, so each
    candidate has to print its version.
    """
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    of_pyenv = sorted(pyenv.glob(f"versions/{name}.*/bin/python"), reverse=True)
    for path in filter(None, (shutil.which(name), shutil.which(f"python{name}"), *of_pyenv)):
        done = subprocess.run([path, "-c", _VERSION], capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return Path(path), done.stdout.strip()
    return None


def matrix(pythons: Sequence[str], tests: Sequence[str]) -> bool:
    """Runs the tests in each environment, with one interpreter after the other.

    Prints a line for each run. Returns whether an interpreter was found, and all runs were green.
    """
    ready, green = [], True
    for name in pythons:
        found = find_python(name)
        if found is None:
            print(f"{name}: skipped, it is not installed here", flush=True)
            continue
        python, version = found
        folder = BUILD / "matrix" / version
        try:
            ready.append((version, folder, _install(python, folder)))
        except subprocess.CalledProcessError as error:
            print(f"{version}: RED: {error.cmd} ended with {error.returncode}", flush=True)
            green = False
    for values, (version, folder, path) in zip(ENVIRONMENTS, cycle(ready), strict=False):
        variables = {name: value for name, value in zip(VARIABLES, values, strict=True) if value}
        what = " ".join([version, *(f"{name}={value}" for name, value in variables.items())])
        log = folder / f"{'-'.join(variables.values())}.log"
        green &= run_tests(what, [path, *PYTEST, *tests], folder / "tree", log, variables)
    return bool(ready) and green


def _install(python: Path, folder: Path) -> Path:
    """Clones the repository into `folder`, installs it, and returns the interpreter to use.

    One of a virtual environment is used directly; for any other one an environment is created.

    Raises:
        subprocess.CalledProcessError: the setup failed.
    """
    tree = folder / "tree"
    shutil.rmtree(tree, ignore_errors=True)
    subprocess.run(["git", "clone", "--quiet", REPOSITORY, tree], check=True)
    if not (python.parent.parent / "pyvenv.cfg").exists():
        subprocess.run([python, "-m", "venv", folder / "venv"], check=True)
        python = folder / "venv" / "bin" / "python"
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*install, "-c", "constraints.txt", "-e", ".[dev,docs]"], cwd=tree, check=True)
    return python


def main() -> None:
    """Runs the command line; the exit status is 1 if a run was red."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    commands = parser.add_subparsers(required=True)
    loading = commands.add_parser("load", help="run the tests repeatedly on a busy machine")
    loading.set_defaults(campaign=load)
    loading.add_argument("--runs", type=int, default=5)
    loading.add_argument("--busy", type=int, default=0, help="number of busy loops beside them")
    loading.add_argument("--slow", type=float, default=1.0, help="factor of workers' CPU time")
    loading.add_argument("--stops", action="store_true", help="stop processes for up to 5 s")
    trying = commands.add_parser("matrix", help="run the tests in six environments")
    trying.set_defaults(campaign=matrix)
    named = f"versions, commands or paths; {', '.join(PYTHONS)} by default"
    trying.add_argument("--pythons", nargs="+", default=PYTHONS, metavar="PYTHON", help=named)
    for command in (loading, trying):
        command.add_argument("tests", nargs="*", help="tests for pytest; all by default")
    options = vars(parser.parse_args())
    campaign = options.pop("campaign")
    with signals.stop_on_signals():  # so that a signal to this process ends pytest too
        green = campaign(**options)
    sys.exit(0 if green else 1)


if __name__ == "__main__":
    main()
