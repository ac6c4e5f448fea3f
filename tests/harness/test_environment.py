"""A grade does not depend on what its process inherits: variables, options, limits, signals."""

import errno
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from grader.__main__ import KEPT
from grader.results.record import from_json
from tests.harness.conftest import REPOSITORY, keep_chapters, long_unless
from tests.harness.container import FOR_TESTS, copy_of_repository

# In place of `grader/cli.py`: writes down what a command could notice of its environment.
NOTES = """
import json, locale, os, resource, signal, statistics, sys, time

def main():
    limits = [getattr(resource, name) for name in dir(resource) if name.startswith("RLIMIT_")]
    noticed = {
        "asserts": __debug__,
        "flags": str(sys.flags),
        "options": [sys.warnoptions, sys._xoptions, sys.argv],
        "variables": dict(os.environ),
        "digits": sys.get_int_max_str_digits(),
        "path": sys.path,
        "module": statistics.__file__,
        "encodings": [sys.getfilesystemencoding(), locale.getpreferredencoding()],
        "limits": [resource.getrlimit(kind)[0] for kind in limits],
        "blocked": sorted(signal.pthread_sigmask(signal.SIG_BLOCK, ())),
        "ignored": [n for n in signal.valid_signals() if signal.getsignal(n) is signal.SIG_IGN],
        "umask": os.umask(0),
        "descriptors": [os.fstat(number).st_mode & 0 for number in range(3)],
        "zone": time.tzname,
    }
    with open(sys.argv[1], "w") as file:
        json.dump(noticed, file, default=str)
"""
# In place of `grader/cli.py`: prints what a terminal may be unable to show.
WORDS = """
import typer
from grader.terminal import console, fail

def main():
    console.print("[bold]█░ ✓ é 1[/bold]")
    typer.echo(b"2")
    try:
        fail(0, "█░ ✓ é 3")
    except typer.Exit:
        pass
"""
SHADOW = "raise SystemExit('a module of another folder was imported')"


@dataclass(frozen=True)
class Brought:
    """What a process inherits, or is started with."""

    variables: Mapping[str, str] | None = None
    options: tuple[str, ...] = ()
    before: Callable[[], object] = lambda: None


def variables(**found: str) -> Brought:
    return Brought(found)


def soft_limits() -> None:
    for kind, soft in (
        (resource.RLIMIT_FSIZE, 2**30),
        (resource.RLIMIT_CPU, 600),
        (resource.RLIMIT_DATA, 2**33),
        (resource.RLIMIT_STACK, 2**20),
    ):
        resource.setrlimit(kind, (soft, resource.getrlimit(kind)[1]))


def ignore_signals() -> None:
    for number in (signal.SIGCHLD, signal.SIGALRM, signal.SIGQUIT):
        signal.signal(number, signal.SIG_IGN)


# {shadow} is a folder of modules that end the process: none that a `.pth` file would import.
BROUGHT = {
    "asserts": variables(PYTHONOPTIMIZE="2"),
    "asserts by option": Brought(options=("-O",)),
    "options of pytest": variables(PYTEST_ADDOPTS="-k nothing -n auto", PYTEST_PLUGINS="none"),
    "pytest without plugins": variables(PYTEST_DISABLE_PLUGIN_AUTOLOAD="1"),
    "path": variables(PYTHONPATH="{shadow}"),
    "home of packages": variables(PYTHONUSERBASE="{shadow}"),
    "warnings": variables(PYTHONWARNINGS="error"),
    "warnings by option": Brought(options=("-W", "error")),
    "development mode": variables(PYTHONDEVMODE="1", PYTHONMALLOC="debug", PYTHONTRACEMALLOC="1"),
    "hash seed": variables(PYTHONHASHSEED="0"),
    "digits": variables(PYTHONINTMAXSTRDIGITS="640"),
    "digits by option": Brought(options=("-X", "int_max_str_digits=640")),
    "options of Python": Brought(options=("-s", "-u", "-X", "dev", "-X", "utf8=0")),
    "start-up": variables(PYTHONSTARTUP="{shadow}/statistics.py", PYTHONINSPECT="1"),
    "cache": variables(PYTHONPYCACHEPREFIX="{shadow}"),
    "locale C": variables(LC_ALL="C", PYTHONCOERCECLOCALE="0", PYTHONUTF8="0"),
    "locale unknown": variables(LC_ALL="xx_YY.ISO-8859-1", LANG="tr_TR", LANGUAGE="tr"),
    "zone": variables(TZ="Pacific/Kiritimati"),
    "threads": variables(OMP_NUM_THREADS="7", MKL_NUM_THREADS="7", KMP_AFFINITY="disabled"),
    "processor": variables(ATEN_CPU_CAPABILITY="default", OPENBLAS_CORETYPE="Prescott"),
    "allocator": variables(MALLOC_ARENA_MAX="1", GLIBC_TUNABLES="glibc.malloc.check=3"),
    "libraries": variables(LD_PRELOAD="{shadow}/missing.so", LD_BIND_NOW="1"),
    "user": variables(USER="nobody", LOGNAME="nobody", SHELL="/bin/false", PWD="/nowhere"),
    "umask": Brought(before=lambda: os.umask(0o777)),
    "soft limits": Brought(before=soft_limits),
    "ignored signals": Brought(before=ignore_signals),
    "blocked signals": Brought(
        before=lambda: signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    ),
    "no descriptors": Brought(before=lambda: os.closerange(0, 3)),
}


EACH = tuple(BROUGHT.values())
BROUGHT["everything"] = Brought(
    {k: v for brought in EACH for k, v in (brought.variables or {}).items()},
    ("-O", "-W", "error", "-X", "int_max_str_digits=640"),
    lambda: [brought.before() for brought in EACH],
)


def start(
    folder: Path, *arguments: str | Path, brought: Brought = Brought(), **how: object
) -> subprocess.CompletedProcess[bytes]:
    """Runs `python -m grader` of the copy in `folder`."""
    given = {k: v.format(shadow=folder / "shadow") for k, v in (brought.variables or {}).items()}
    usual = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "PYTEST", "LC_"))}
    return subprocess.run(
        [sys.executable, *brought.options, "-m", "grader", *map(str, arguments)],
        cwd=folder,
        env=usual | {"PYTHONDONTWRITEBYTECODE": "1"} | given,
        preexec_fn=brought.before,
        **({"capture_output": True} | how),
        check=False,
    )


@pytest.fixture
def copy(tmp_path):
    """A copy of the grader with another `cli.py`; and a folder of modules that must not be read."""

    def make(cli: str) -> Path:
        (tmp_path / "shadow").mkdir()
        for name in ("resource", "signal", "statistics", "typer", "torch"):
            (tmp_path / "shadow" / f"{name}.py").write_text(SHADOW)
        (tmp_path / "shadow" / "sitecustomize.py").write_text("import os; os.umask(0o777)")
        (tmp_path / "grader").mkdir()
        for path in (REPOSITORY / "grader").iterdir():
            if path.name not in ("cli.py", "__pycache__"):
                (tmp_path / "grader" / path.name).symlink_to(path)
        (tmp_path / "assignment").symlink_to(REPOSITORY / "assignment")
        (tmp_path / "grader" / "cli.py").write_text(cli)
        return tmp_path

    return make


@pytest.mark.parametrize("name", long_unless(BROUGHT, "everything"))
def test_command_notices_nothing_of_what_it_inherits(copy, name):
    folder, noticed = copy(NOTES), []
    for brought in (Brought(), BROUGHT[name]):
        done = start(folder, folder / "notes", brought=brought)
        assert done.returncode == 0, done.stderr
        noticed.append(json.loads((folder / "notes").read_text()))
        noticed[-1]["variables"].pop("PYTHONIOENCODING")  # the terminal's
    assert noticed[1] == noticed[0]
    assert noticed[0]["asserts"]
    assert set(noticed[0]["variables"]) <= {*KEPT, "LC_CTYPE"}


@pytest.mark.parametrize(
    ("option", "least"), [("f", 2**30), ("t", 600), ("v", 2**34), ("d", 2**34), ("s", 2**20)]
)
def test_limit_that_could_fail_right_code_is_refused(copy, option, least):
    kinds = {"f": "FSIZE", "t": "CPU", "v": "AS", "d": "DATA", "s": "STACK"}
    kind = getattr(resource, f"RLIMIT_{kinds[option]}")
    lowered = Brought(before=lambda: resource.setrlimit(kind, (least, least)))
    done = start(copy(NOTES), "unused", brought=lowered)
    assert done.returncode == 3
    said = done.stderr.decode().replace("\n", " ")
    assert f"`ulimit -H{option}` is too low" in said
    assert f". Expected {'unlimited' if option != 's' else '8388608 bytes'}, got {least} (" in said


@pytest.mark.parametrize("encoding", ["latin-1", "ascii", "cp1252", "utf-8"])
def test_terminal_shows_what_it_can(copy, encoding):
    done = start(copy(WORDS), brought=variables(PYTHONUTF8="0", PYTHONIOENCODING=encoding))
    assert done.returncode == 0, done.stderr
    shown = "█░ ✓ é".encode(encoding, "replace")
    assert done.stdout == shown + b" 1\n2\n"
    assert done.stderr == shown + b" 3\n"


@pytest.mark.parametrize("kind", ["closed", "unread", "full", "unreadable"])
def test_terminal_that_takes_nothing_fails_no_command(copy, kind):
    if kind == "closed":
        done = start(copy(WORDS), brought=Brought(before=lambda: os.closerange(0, 3)))
    else:
        reader, writer = os.pipe()
        os.close(reader)
        places = {"unread": writer, "full": os.open("/dev/full", os.O_WRONLY)}
        places["unreadable"] = os.open("/dev/null", os.O_RDONLY)
        how = {"capture_output": False, "stdout": places[kind], "stderr": places[kind]}
        done = start(copy(WORDS), **how)
        for descriptor in places.values():
            os.close(descriptor)
    assert done.returncode == 0
    assert not done.stderr


CHAPTER = "seeding"
MISTAKE = "\ndef stream_seed(*arguments, **options):\n    return 17\n"


def test_file_system_without_links_costs_no_points(grader, monkeypatch):
    def refuse(*_: object) -> None:
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))

    for name in ("link", "symlink"):
        monkeypatch.setattr(os, name, refuse)
    grade = grader.grade(REPOSITORY / "solutions", tests="hidden", only=["token_file"])
    assert grade.score == grade.max_score


def test_grade_is_the_same_whatever_its_process_inherits(grader, tmp_path):
    """Also of code that fails only where a hidden test has a plain assert"""
    copy_of_repository(tmp_path, *FOR_TESTS)
    (tmp_path / "shadow").mkdir()
    (tmp_path / "shadow" / "typer.py").write_text(SHADOW)
    text = tmp_path / "assignment" / "assignment.toml"
    text.write_text(keep_chapters(text.read_text(encoding="utf-8"), [CHAPTER]), encoding="utf-8")
    for file in tmp_path.glob("tests/[pht]*/test_*.py"):
        if file.parent.name == "public" or file.stem != f"test_{CHAPTER}":
            file.unlink()
    package = shutil.copytree(
        REPOSITORY / "solutions" / "resource_accounting", tmp_path / "in" / "resource_accounting"
    )
    with (package / f"{CHAPTER}.py").open("a", encoding="utf-8") as file:
        file.write(MISTAKE)
    done = start(
        tmp_path, "grade", "in", "--out", "out", "--nonce", "1", brought=BROUGHT["everything"]
    )
    assert done.returncode == 0, done.stderr
    found = from_json((tmp_path / "out" / "grade.json").read_bytes())
    only = [exercise.id for exercise in grader.manifest if exercise.chapter == CHAPTER]
    expected = grader.grade(tmp_path / "in", tests="hidden", only=only, nonce="1")
    assert any(one.points < one.max_points for one in expected.exercises)
    assert found.verdicts == expected.verdicts
