"""What a student sees of a run: short failures, a table of exercises, and the next exercise.

`Progress` is a pytest plugin that `assignment.plugin` registers for `--progress`.
"""

from __future__ import annotations

import textwrap
import time
from collections import Counter
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass, field
from io import StringIO
from typing import Any, Literal

import pytest
from rich.console import Console
from rich.table import Table
from rich.text import Text

from assignment import manifest
from assignment.calls import imports
from assignment.hooks import exercise_of, package_of, title_of
from assignment.manifest import Exercise
from assignment.student import failures, states
from assignment.student.deadline import GIVEN_UP
from assignment.student.verbs import command, is_under_make

Known = Mapping[str, states.LastState]
State = Literal["passed", "in progress", "not started", "skipped", "no public test"]

_VERBOSE = -1  # from here on every failure is shown in full; a handout has -qq, which is -2
_WATCHED = -2  # below it, `make watch` says what comes next

_STYLES: dict[State, str] = {
    "passed": "green",
    "in progress": "yellow",
    "not started": "dim",
    "skipped": "dim",
    "no public test": "dim",
}
_SYMBOLS: dict[State, str] = dict(zip(_STYLES, "●◐○––", strict=True))
_ASCII = str.maketrans("●◐○–✗─…━★", "x/.-x-.=*")
_BAR = 20  # characters
_LABELS = {
    **dict.fromkeys(("call", "made by", "where", "error", "with", "drawn", "storage"), "dim"),
    **dict.fromkeys(("expected", "handout", "right"), "green"),
    **dict.fromkeys(("found", "yours"), "red"),
    **dict.fromkeys(("note", "hint"), "cyan"),
}


@dataclass
class FailedTest:
    """One failed test: its title, the reason, and what the code printed."""

    title: str
    text: str
    shared: bool  # the same for every test of the module, so it is shown once
    printed: list[tuple[str, str]]


@dataclass
class Tally:
    """How one exercise's tests went."""

    collected: int = 0  # also those that the run leaves out
    ran: int = 0
    passed: int = 0
    waiting: int = 0  # ended at a stub
    skipped: int = 0
    given_up: int = 0  # of the skipped: others of the exercise had taken too long
    failures: list[FailedTest] = field(default_factory=list)

    @property
    def total(self) -> int:
        """Number of its tests, including those that the run left out or did not reach."""
        return max(self.collected, self.ran)

    @property
    def state(self) -> State:
        if not self.total:
            return "no public test"
        if self.passed + self.skipped == self.total and not self.failures:
            return "passed" if self.passed else "skipped"
        return "not started" if self.waiting + self.skipped == self.ran else "in progress"


class Progress:
    """Collects reports by exercise, and prints them when the run ends."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._started = time.perf_counter()
        self._tallies: dict[str, Tally] = {}
        self._changes: dict[imports.Change, None] = {}  # each once, in order

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, Any, Any]:
        """Adds to the report what the summary needs, as plain data that xdist can transfer."""
        if (exercise := exercise_of(item)) is None:
            return (yield)
        option = item.config.option
        is_ours = option.tbstyle == "auto"
        if is_ours:  # pytest's usual text parses the file of each call anew: half of a run
            option.tbstyle = "native"
        try:
            report = yield
        finally:
            if is_ours:
                option.tbstyle = "auto"
        report.exercise, report.title = exercise, title_of(item)
        report.changes = imports.take_changes()
        report.waiting = report.shared = False
        if report.failed and call.excinfo is not None:
            report.waiting = _is_stub(call.excinfo, exercise)
            if report.waiting and is_ours:
                report.longrepr = str(call.excinfo.value)  # enough for a stub
                return report
            impl = getattr(item, "funcargs", {}).get("impl")
            failure = failures.Failure(item, exercise, call.excinfo, impl)
            report.shared = failure.is_failed_import
            if is_ours:
                report.longrepr = failure.explain()
        return report

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Counts each exercise's tests in the collected files, with those that are deselected."""
        for item in session.items:
            if (exercise := exercise_of(item)) is not None:
                self._tallies.setdefault(exercise, Tally()).collected += 1
        modules = {item.getparent(pytest.Module) for item in session.items}
        nodes = (node for module in modules if module is not None for node in module.collect())
        in_files = Counter(exercise_of(node) for node in nodes if isinstance(node, pytest.Item))
        for name, tally in self._tallies.items():
            tally.collected = max(tally.collected, in_files[name])

    def pytest_runtest_logreport(self, report: Any) -> None:
        exercise = getattr(report, "exercise", None)
        if exercise is None:
            return
        self._changes.update(dict.fromkeys(map(tuple, report.changes)))
        tally = self._tallies.setdefault(exercise, Tally())
        if report.when == "call" or not report.passed:
            tally.ran += report.when != "teardown"
            tally.passed += report.passed
            tally.skipped += report.skipped
            tally.given_up += report.skipped and GIVEN_UP in str(report.longrepr)
            tally.waiting += report.waiting
        if report.failed and not report.waiting:
            printed = [(name, text) for name, text in report.sections if text.strip()]
            text = str(report.longrepr)
            tally.failures.append(FailedTest(report.title, text, report.shared, printed))

    def pytest_report_teststatus(self, report: Any) -> tuple[str, str, Any] | None:
        """Says "not started" or "not passed", and so keeps pytest from listing failures itself."""
        if getattr(report, "exercise", None) is None or not report.failed:
            return None
        if report.waiting:
            return "not started", "-", ("NOT STARTED", {"yellow": True})
        return "not passed", "F", ("NOT PASSED", {"red": True})

    @pytest.hookimpl(trylast=True)
    def pytest_terminal_summary(self, terminalreporter: Any, exitstatus: int) -> None:
        if not self._tallies or self._config.option.collectonly:
            return
        if self._is_whole_run() and self._config.getoption("--ex") is None:
            have_tests = (e for e in manifest.load() if not e.only_races)
            self._tallies = {e.id: self._tallies.get(e.id, Tally()) for e in have_tests}
        writer = terminalreporter._tw
        encoding = getattr(writer._file, "encoding", None) or "utf-8"
        screen = StringIO()
        console = Console(
            file=screen,
            width=min(writer.fullwidth, 100),
            force_terminal=writer.hasmarkup,
            color_system="standard" if writer.hasmarkup else None,
            highlight=False,
            legacy_windows=False,
        )
        if not self._config.getoption("--only-table"):
            self._print_failures(console)
            self._print_changes(console)
        self._print_table(console)
        self._print_grader_only(console)
        self._print_next(console, is_green=exitstatus == 0)
        terminalreporter.write(_readable(screen.getvalue(), encoding))

    def _print_failures(self, console: Console) -> None:
        """The first failure of each exercise in full, and the titles of the others; with -v all.

        A failed import, which all tests of a module share, is shown once.
        """
        is_short = self._config.option.verbose < _VERBOSE
        seen: set[str] = set()
        for exercise in self._exercises():
            tally = self._tallies[exercise.id]
            shown = []
            for failure in tally.failures:
                if not (failure.shared and failure.text in seen):
                    shown.append(failure)
                seen.add(failure.text)
            if not shown:
                continue
            console.rule(Text(f"{exercise.id}: {exercise.title}", style="bold"), align="left")
            for number, failure in enumerate(shown):
                title = "No test can run yet" if failure.shared else failure.title
                for line in textwrap.wrap("✗ " + title, console.width, subsequent_indent="  "):
                    console.print(Text(line, style="red bold"))
                if number and is_short and not failure.shared:
                    continue
                _print_lines(console, failure.text)
                for name, text in failure.printed:
                    console.print(Text(f"  {name.lower().removesuffix(' call')}:", style="dim"))
                    for line in text.rstrip().splitlines():
                        console.print(Text("    " + line), soft_wrap=True)
                console.print()
            if tally.given_up:
                count = _plural(tally.given_up, "more test")
                console.print(f"{count} of {exercise.id} not run: {GIVEN_UP}.", style="dim")
            if is_short and any(not failure.shared for failure in shown[1:]):
                every = f"{command('test', exercise.id)} {'ALL=1' if is_under_make() else '-v'}"
                console.print(Text(f"What the others found:  {every}\n", "dim"), soft_wrap=True)

    def _print_changes(self, console: Console) -> None:
        """What an import has left changed, such as a setting of torch."""
        if not self._changes:
            return
        console.rule(Text("Changed by an import", style="bold"), align="left")
        for file, changes in imports.by_file(self._changes).items():
            console.print(Text(file, style="yellow"))
            _print_lines(console, imports.describe(changes))
        console.print()

    def _print_table(self, console: Console) -> None:
        table = Table(box=None, padding=(0, 2, 0, 0), show_header=False, pad_edge=False)
        for _ in range(4):
            table.add_column(no_wrap=True)
        chapter = None
        for exercise in self._exercises():
            if exercise.chapter != chapter:
                chapter = exercise.chapter
                table.add_row(Text(chapter, style="bold"))
            tally = self._tallies[exercise.id]
            state = tally.state
            count = f"{tally.passed} of {tally.total} tests" if state == "in progress" else ""
            if 0 < tally.ran < tally.total:
                count = f"{tally.ran} of {tally.total} tests run"
            row = f"  {_SYMBOLS[state]} {exercise.id}", state, count, exercise.worth
            table.add_row(*(Text(cell, style=_STYLES[state]) for cell in row))
        console.rule(Text("Progress", style="bold"), align="left")
        console.print(table)
        if len(self._tallies) == 1:
            return
        core, further, cuda = "", "further: ", "to be timed on a CUDA device: "
        by_kind: dict[str, list[Exercise]] = {core: [], further: [], cuda: []}
        for exercise in self._exercises():
            kind = further if not exercise.core else cuda if exercise.needs else core
            by_kind[kind].append(exercise)
        parts: list[str] = []
        for kind, every in by_kind.items():
            done = [e for e in every if self._tallies[e.id].state == "passed"]
            won, possible = (sum(e.points for e in some) for some in (done, every))
            noun = "" if parts else f" exercise{'' if len(every) == 1 else 's'}"
            if every:
                count = f"{kind}{len(done)} of {len(every)}{noun}"
                parts.append(f"{count}, {won:g} of {_plural(possible, 'point')}")
        seconds = time.perf_counter() - self._started
        console.print(Text(f"\nThe public tests pass for {'; '.join(parts)} ({seconds:.1f} s)."))
        console.print(Text("The marks come from hidden tests, which check more.", style="dim"))

    def _print_grader_only(self, console: Console) -> None:
        """Names the rules that have no public test, of the exercises that were chosen and pass."""
        if self._config.getoption("--ex") is None:
            return  # of all exercises it would be too much to read
        for exercise in self._exercises():
            if exercise.grader_only and self._tallies[exercise.id].state == "passed":
                count = len(exercise.grader_only)
                rules = "1 rule is" if count == 1 else f"{count} rules are"
                text = f"{exercise.id}: {rules} tested by the grader alone: "
                text += "; ".join(exercise.grader_only) + "."
                for line in textwrap.wrap(text, console.width, subsequent_indent="  "):
                    console.print(Text(line, style="cyan"))

    def _print_next(self, console: Console, is_green: bool) -> None:
        package = package_of(self._config)
        known = states.read(self._config.rootpath, package)
        # Of an exercise that ran in part, only a failure says something.
        now = {n: t.state for n, t in self._tallies.items() if t.ran == t.total or t.failures}
        if cache := getattr(self._config, "cache", None):
            states.store(cache, package, now)
        self._print_finished(console, known, now)
        following = self._next(known, now)
        if self._config.option.verbose < _WATCHED:
            return
        console.print()
        if following is None:
            done = f"Every public test passes. Hand in with:  {command('submit')}"
            console.print(Text(done, style="green bold"))
            return
        takes = following.takes and f", about {following.takes}"
        label = "Continue with: " if self._tallies.get(following.id, Tally()).passed else "Next: "
        console.print(
            Text.assemble((label + following.title, "bold"), f"  ({following.id})", takes)
        )
        for what, where in (
            ("read", f"assignment/writeup/{following.chapter}.md"),
            ("write", _where_to_write(following)),
            ("test", command("test", following.id)),
            ("hint", command("hint", following.id)),
        ):
            console.print(Text.assemble((f"  {what:<7}", "dim"), where), soft_wrap=True)
        if is_under_make() and not is_green:
            note = "(make reports an error until every test passes; ignore it.)"
            console.print(Text(note, style="dim"))

    def _print_finished(self, console: Console, known: Known, now: Mapping[str, str]) -> None:
        """Says it when a chapter is done, and how much of the assignment that makes."""
        if not (chapters := states.finished_chapters(known, now)):
            return
        core = [e.id for e in manifest.load() if e.core and not e.needs]
        state = states.latest(known, now)
        done = sum(state.get(name) == "passed" for name in core)
        filled = round(_BAR * done / len(core))
        title = f"\n★ {', '.join(chapters)}: done!  "
        bar = (("━" * filled, "green"), ("─" * (_BAR - filled), "dim"))
        count = f"  {done} of {len(core)} core exercises"
        console.print(Text.assemble((title, "green bold"), *bar, count))

    def _next(self, known: Known, now: Mapping[str, str]) -> Exercise | None:
        """The next exercise that is not known to pass, or None.

        It is one of this run if possible, else a core exercise after it, else any.
        """
        of_run = list(self._exercises())
        every = list(manifest.load())
        after = every[every.index(of_run[-1]) :] if of_run else []
        following = (e for e in after if e.core)
        return states.first_open(known, now, of_run, following)

    def _is_whole_run(self) -> bool:
        """Whether no tests were left out by an option or a path; --ex does not count."""
        options = vars(self._config.option)  # those of pytest's cache only if it is enabled
        names = ("keyword", "markexpr", "deselect", "ignore", "ignore_glob", "lf", "stepwise")
        return not any(options.get(name) for name in names) and (
            self._config.args_source is not pytest.Config.ArgsSource.ARGS
        )

    def _exercises(self) -> Iterator[Exercise]:
        return (e for e in manifest.load() if e.id in self._tallies)


def _is_stub(raised: failures.Raised, exercise: str) -> bool:
    """Whether one of the exercise's own functions raised NotImplementedError itself."""
    is_torchs = "not implemented for" in str(raised.value)  # an operation of another dtype
    if not raised.errisinstance(NotImplementedError) or is_torchs:
        return False
    code = raised.traceback[-1].frame.code.raw
    names = {function.partition(".")[2] for function in manifest.load()[exercise].functions}
    return code.co_qualname.partition(".")[0] in names


def _print_lines(console: Console, text: str) -> None:
    """Prints a failure's lines, indented; labels such as `expected:` are coloured.

    Text is wrapped with a hanging indent; code, which begins with four spaces, is not.
    """
    for line in text.splitlines():
        if line.startswith("    "):
            console.print(Text("  " + line), soft_wrap=True)
            continue
        label, colon, _ = line.partition(":")
        is_labelled = bool(colon) and label.strip() in _LABELS
        wrapped = textwrap.wrap(
            line,
            console.width,
            initial_indent="  ",
            subsequent_indent=" " * (14 if is_labelled else 4),
            replace_whitespace=False,
        )
        for number, part in enumerate(wrapped or [""]):
            shown = Text(part)
            if is_labelled and number == 0:
                shown.stylize(_LABELS[label.strip()], 0, 2 + len(label) + 1)
            console.print(shown, soft_wrap=True)


def _plural(number: float, noun: str) -> str:
    return f"{number:g} {noun}" + ("" if number == 1 else "s")


def _where_to_write(exercise: Exercise) -> str:
    """An exercise's functions with their files: `transpose in resource_accounting/strides.py`."""
    package = manifest.load().package
    places = ((", ".join(exercise.names_in(module)), module) for module in exercise.modules)
    return "; ".join(f"{names} in {package}/{module}.py" for names, module in places)


def _readable(text: str, encoding: str) -> str:
    """The text in characters that the terminal can show: a Windows console may lack ● and ×."""
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.translate(_ASCII).encode(encoding, "replace").decode(encoding)
    except LookupError:
        return text
    return text
