"""Fixtures of the grader's tests: started graders, short submissions, sandboxed workers."""

import ast
import functools
import gc
import itertools
import os
import re
import secrets
import shutil
import tempfile
import time
import tomllib
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
import typer.testing

from assignment import manifest
from assignment.calls.implementation import LocalImplementation
from grader import cli
from grader.judge.grader import Grader
from grader.results.record import Check, Grade
from grader.sandbox import cgroups
from grader.supervisor import zygote
from grader.worker import speed
from tests.harness import nursery
from tests.harness.container import REPOSITORY, copy_of_repository
from tests.harness.hostile.hand_in import hand_in

# What a test starts is this folder's code, whatever is installed in the environment.
os.environ["PYTHONPATH"] = str(REPOSITORY)
pytest.register_assert_rewrite("tests.harness.hostile.assertions")

# A container's root has fewer: it may neither mount nor look into any process.
_CAPABILITIES = int(re.findall(r"CapEff:\s*(\w+)", Path("/proc/self/status").read_text())[0], 16)
_SYS_PTRACE, _SYS_ADMIN = 19, 21
needs_root = pytest.mark.skipif(
    not all(_CAPABILITIES >> number & 1 for number in (_SYS_PTRACE, _SYS_ADMIN)),
    reason="only root of a whole machine may make containers and look into every process",
)
CANARY = "canary-" + secrets.token_hex(12)  # in the judge's environment, a secret
# Classes that students read of a hidden check's exception.
FRESH = "FRESH" in os.environ  # attacks meet a grader that gives each test workers of its own
NAMED = {"IndexError", "KeyError", "TypeError", "ValueError", "ZeroDivisionError"}
CHAPTERS = ("dtypes", "strides", "data", "checkpoint", "device")  # for attacks and bad input
MORE_TESTS = ("test_killed_saves.py",)  # of these chapters
# Of the exercise that most submissions are graded on. Each costs a worker, and others are alike.
LEFT_OUT = (
    *("test_strides_of_other_shapes", "test_a_size_of_0_counts_as_1", "test_element_of_a_column"),
    *("test_a_transpose_is_not_contiguous", "test_a_size_of_1_does_not_matter"),
)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Lists the ten files that took longest, of all processes of pytest's together."""
    seconds: Counter[str] = Counter()
    for report in itertools.chain(*terminalreporter.stats.values()):
        if isinstance(report, pytest.TestReport):
            seconds[report.nodeid.partition("::")[0]] += report.duration
    if len(seconds) > 10:
        terminalreporter.section("slowest files")
        for file, took in seconds.most_common(10):
            terminalreporter.write_line(f"{took:6.1f} s  {file}")


def long_unless(values: Iterable[Any], *short: Any) -> list[Any]:
    """The parameters of a test: `make test` runs it with the short ones, `LONG=1` with all."""
    every = list(values)
    unknown = [value for value in short if value not in every]
    assert not unknown, f"{unknown} are no parameters"
    return [v if v in short else _long(v) for v in every]


def _long(value: Any) -> Any:
    values = value if isinstance(value, tuple) else (value,)
    return pytest.param(*values, marks=pytest.mark.long)


@pytest.fixture(scope="session", autouse=True)
def ignore_fork_warnings() -> Iterator[None]:
    """Silences Python 3.12's warning about forks in a process with threads, under xdist only.

    There each process has a thread of execnet's. A grading itself forks with one thread:
    `judge/test_lanes.py` checks that in a process without xdist.
    """
    fork = os.fork

    def quiet() -> int:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "This process .* is multi-threaded")
            return fork()

    with pytest.MonkeyPatch.context() as monkeypatch:
        if "PYTEST_XDIST_WORKER" in os.environ:
            monkeypatch.setattr(os, "fork", quiet)
        yield


@pytest.fixture(autouse=True, scope="module")
def loaded_by_now() -> None:
    """Each grading collects garbage and forks: neither need look at all that is loaded by now."""
    gc.collect()
    gc.freeze()
    speed.use_huge_pages()


@pytest.fixture(scope="session", autouse=True)
def zygotes_are_forked() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(zygote, "start_zygote", nursery.start_zygote)
        yield


@pytest.fixture(scope="session", autouse=True)
def commands_are_made_once() -> Iterator[None]:
    """Typer takes 20 ms to make the commands of `grader` from their functions."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(cli, "build_app", functools.cache(cli.build_app))
        monkeypatch.setattr(typer.testing, "_get_command", functools.cache(typer.main.get_command))
        yield


@pytest.fixture(scope="session")
def grader() -> Iterator[Grader]:
    """A started grader of the whole assignment, in the strongest tier of this machine."""
    with Grader() as grader:
        yield grader


@contextmanager
def lent(grader: Grader, **attributes: Any) -> Iterator[Grader]:
    """A started grader with other attributes for a while: one zygote serves any assignment."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in attributes.items():
            patch.setattr(grader, name, value)
        yield grader


@pytest.fixture(scope="session")
def quick_grader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Grader]:
    """A started `new_quick_grader`, with canaries in its environment and in its second lane."""
    os.environ["HARNESS_CANARY"] = CANARY
    with new_quick_grader(tmp_path_factory.mktemp("repository")) as grader:
        (grader.zygote.folder / "shared" / "1" / "given").write_text(CANARY)
        yield grader
    del os.environ["HARNESS_CANARY"]


def new_quick_grader(repository: Path) -> Grader:
    """A grader of a few chapters with small limits, for submissions that hang or use much memory.

    Each test may use 2 s and 512 MiB, and two tests that hit the time limit spend the budget. The
    tests are the repository's own, copied to `repository`, without some public ones.
    """
    usual = manifest.load()
    short = msgspec.structs.replace(
        usual,
        limits=msgspec.structs.replace(usual.limits, seconds=2.0, memory_mib=512),
        exercise=tuple(exercise for exercise in usual if exercise.chapter in CHAPTERS),
    )
    for folder in ("tests/public", "tests/hidden"):
        names = {"conftest.py", *(f"test_{chapter}.py" for chapter in CHAPTERS), *MORE_TESTS}
        (repository / folder).mkdir(parents=True)
        for name in names & set(os.listdir(REPOSITORY / folder)):  # noqa: PTH208
            shutil.copy(REPOSITORY / folder / name, repository / folder / name)
    if "ALL_ATTACKS" not in os.environ:
        file = repository / "tests/public/test_strides.py"
        tree = ast.parse(file.read_text())
        tree.body = [node for node in tree.body if getattr(node, "name", "") not in LEFT_OUT]
        file.write_text(ast.unparse(tree))
    return Grader(manifest=short, repository=repository, budget=4.0)


def keep_chapters(text: str, chapters: Collection[str]) -> str:
    """A manifest's text with only the exercises of some chapters, which are all core then."""
    top, *exercises = re.split(r"(?m)^(?=\[\[exercise\]\])", text)
    tables = [(e, tomllib.loads(e)["exercise"][0]) for e in exercises]
    kept = [(e, table) for e, table in tables if table["chapter"] in chapters]
    points = sum(table["points"] for _, table in kept)
    top = re.sub(r"(?m)^points = .*$", f"points = {points}", top)
    top = re.sub(r"(?m)^cuda_points = .*$", "", top)
    return "".join([top, *(e.replace("core = false\n", "") for e, _ in kept)])


def keep_tests(repository: Path, chapters: Collection[str]) -> None:
    """Removes all tests and exercises but those of some chapters."""
    file = repository / "assignment" / "assignment.toml"
    file.write_text(keep_chapters(file.read_text(), chapters))
    for test in repository.glob("tests/*/test_*.py"):
        if test.stem.removeprefix("test_") not in chapters:
            test.unlink()


@pytest.fixture
def own_group(monkeypatch):
    """Runs a function in a forked process that joined a group, and returns its result as text."""
    prefix = f"own-{secrets.token_hex(4)}-"  # the zygotes of other processes remove no such groups
    monkeypatch.setattr(cgroups, "_PREFIX", prefix)

    def run(work, memory=2**28, processes=40):
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                group = cgroups.join(memory, processes)
                result = work(group)
                group.leave()
                os.write(writer, f"{result}".encode())
            finally:
                os._exit(0)
        os.close(writer)
        with os.fdopen(reader) as pipe:
            result = pipe.read()
        os.waitpid(child, 0)
        places = [own.folder for own in cgroups._own_groups()]
        run.left = lambda: [left for place in places for left in place.glob(f"{prefix}{child}-*")]
        return result

    limited = run(lambda group: group.summary)
    if "memory" not in limited or limited.startswith("none"):
        pytest.skip(f"this machine lets no control group be created ({limited})")
    return run


@pytest.fixture(scope="session")
def closed() -> Iterator[Path]:
    """A copy of the repository that only root can read, as in a container.

    Not in a folder of pytest's: an attack that looks for tests in its frames would find that word.
    """
    with tempfile.TemporaryDirectory(prefix="closed-") as parent:
        folder = Path(parent) / "course"
        folder.mkdir()
        copy_of_repository(folder)
        folder.chmod(0o700)
        Path(parent).chmod(0o755)
        yield folder


def repository_for(profile: str, closed: Path) -> Path:
    """The repository that a profile grades with.

    An ordinary user must be able to read it; there Landlock hides it from workers.
    """
    return REPOSITORY if profile == "user" else closed


@pytest.fixture(scope="module")
def idle_processes(quick_grader: Grader, tmp_path_factory: pytest.TempPathFactory) -> set[int]:
    """The zygote's processes after a grading without a worker, since the module is missing."""
    folder = hand_in("nan", tmp_path_factory.mktemp("idle") / "in")
    quick_grader.grade(folder, only=["bytes_per_element", "tensor_bytes"])
    return processes_of(quick_grader)


@pytest.fixture
def submit(tmp_path: Path) -> Callable[..., Path]:
    """Writes a submission: `submit(flops="def …")` writes resource_accounting/flops.py."""

    def make(**modules: str) -> Path:
        package = tmp_path / "submission" / "resource_accounting"
        package.mkdir(parents=True)
        for name, text in modules.items():
            (package / f"{name}.py").write_text(text, encoding="utf-8")
        return package.parent

    return make


@pytest.fixture
def sandboxed(quick_grader: Grader) -> Iterator[Callable[..., object]]:
    """Runs code in a worker, without a test: `sandboxed(probe="def f(): …").probe.f()`."""
    from grader.judge.implementation import GradedImplementation
    from grader.supervisor.pool import WorkerPool

    with ExitStack() as stack:

        def start(seed: int = 1, limits: manifest.Limits | None = None, **modules: str) -> object:
            quick_grader.zygote.wait()
            name = f"sandboxed-{secrets.token_hex(4)}"
            folder = quick_grader.zygote.submissions / name
            stack.callback(shutil.rmtree, folder)
            stack.callback(quick_grader.zygote.drain)
            package = folder / quick_grader.manifest.package
            package.mkdir(parents=True, mode=0o755)
            (package / "__init__.py").touch()
            for module, text in modules.items():
                (package / f"{module}.py").write_text(text, encoding="utf-8")
            pool = WorkerPool(quick_grader.zygote, folder, quick_grader.manifest.package)
            stack.callback(pool.close)
            implementation = GradedImplementation(
                pool, limits or quick_grader.manifest.limits, seed
            )
            stack.callback(implementation.close)
            return implementation

        yield start


@pytest.fixture
def in_this_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., object]:
    """Runs code as a student's own run does, without a worker: as `sandboxed`, at most once."""

    def start(**modules: str) -> LocalImplementation:
        package, scratch = tmp_path / f"local_{secrets.token_hex(4)}", tmp_path / "scratch"
        package.mkdir()
        scratch.mkdir()
        for module, text in modules.items():
            (package / f"{module}.py").write_text(text, encoding="utf-8")
        monkeypatch.syspath_prepend(tmp_path)
        return LocalImplementation(package.name, scratch)

    return start


@pytest.fixture(params=["sandboxed", "in_this_process"])
def in_both(request: pytest.FixtureRequest) -> Callable[..., object]:
    """Runs code in a worker, and without one: a test means the same with both."""
    return request.getfixturevalue(request.param)  # type: ignore[no-any-return]


def hidden(grade: Grade, exercise: str) -> list[Check]:
    """The hidden checks of one exercise."""
    return [c for c in grade.checks if c.exercise == exercise and c.visibility == "hidden"]


def processes_of(grader: Grader) -> set[int]:
    """All descendants of the zygote, including those that have ended and are not reaped."""
    found, todo = set(), [grader.zygote._process.pid]
    while todo:
        pid = todo.pop()
        for task in Path(f"/proc/{pid}/task").iterdir():
            children = [int(child) for child in (task / "children").read_text().split()]
            found.update(children)
            todo += children
    return found


MAX_WAIT = 600.0  # seconds, for what takes moments: a test fails only if it never happens


def wait_until(condition: Callable[[], bool], seconds: float = MAX_WAIT) -> bool:
    """Waits until the condition is true; returns whether that happened in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True
