"""`make submit`: packs the package, and tries what the grader does first, which is to import it."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

from assignment import PACKAGES, manifest
from assignment.calls.imports import why_not_utf8
from assignment.student import states
from assignment.student.verbs import UserError

_SECONDS = 120  # for all imports
# Imports modules, each as if in a process of its own. Writes a line for each: its name and error.
_IMPORT = """
import importlib, json, os, sys
folder, file, package, *modules = sys.argv[1:]
sys.path.insert(0, folder)
for module in modules:
    for name in [name for name in sys.modules if name.partition(".")[0] == package]:
        del sys.modules[name]
    said = ""
    try:
        importlib.import_module(f"{package}.{module}")
    except BaseException as error:
        said = f"{type(error).__name__}: {error}".replace(folder + os.sep, "")[:500]
    with open(file, "a", encoding="utf-8") as found:
        found.write(json.dumps([module, said]) + "\\n")
os._exit(0)
"""


def pack(console: Console, root: Path, output: Path) -> None:
    """Zips the `.py` files of a handout's package, working or not; prints names and what is wrong.

    The archive also holds the handout's version.

    Raises:
        UserError: the package has no `.py` files, or the archive cannot be written.
    """
    package = root / manifest.load().package
    files = [
        path
        for path in sorted(package.rglob("*.py"))
        if path.is_file()
        and not any(p.startswith((".", "__pycache__")) for p in path.relative_to(package).parts)
    ]
    if not files:
        raise UserError(f"{package} holds no .py file; run this in the folder of your handout")
    names = {path: f"{package.name}/{path.relative_to(package).as_posix()}" for path in files}
    part = output.with_name(output.name + ".part")
    try:
        with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED, strict_timestamps=False) as archive:
            for path in files:
                archive.write(path, names[path])
            archive.writestr(manifest.VERSION_FILE, f"{manifest.load().version}\n")
        part.replace(output)
    except OSError as error:
        raise UserError(f"{output} cannot be written: {error}") from error
    console.print(Text(f"Packed {output.name}:", style="bold"))
    problems = {path: problem for path in files if (problem := syntax_error(path))}
    fine = [path for path in files if path not in problems]
    paths = [package / f"{module}.py" for module in manifest.load().modules]
    graded = {path.stem: path for path in fine if path in paths}
    errors = import_errors(output, package.name, list(graded))
    problems |= {graded[module]: problem for module, problem in errors.items()}
    for path in files:
        console.print(Text(f"  {names[path]:<44} {path.stat().st_size:>7,} bytes"))
        if problem := problems.get(path):
            _warn(console, problem, indent=4)
    if absent := [path.name for path in paths if not path.is_file()]:
        _warn(console, f"no {', '.join(absent)}")
    if problems:
        lost = "A file that cannot be imported earns no points; the others count."
        console.print(Text(lost, style="yellow"))
    if others := _not_in_the_grader(package, fine):
        _warn(console, f"the grader does not have {', '.join(sorted(others))}")
    states.show(console, root, package)
    console.print(
        f"\nHand in {output}\nExercises that fail may go in: what passes counts.", markup=False
    )


def _warn(console: Console, problem: str, indent: int = 2) -> None:
    console.print(Text(f"{' ' * indent}warning: {problem}", style="yellow"))


def syntax_error(path: Path) -> str | None:
    """The syntax error of a file, or None."""
    try:  # `ast.parse` would take a `return` outside a function
        compile(path.read_bytes(), str(path), "exec", dont_inherit=True)
    except (MemoryError, RecursionError):
        return "the code is nested too deeply"
    except ValueError as error:  # for null bytes, before 3.11.4
        return why_not_utf8(path) or str(error)
    except SyntaxError as error:
        where = f" in line {error.lineno}" if error.lineno else ""
        return why_not_utf8(path) or f"syntax error{where}: {error.msg}"
    return None


def import_errors(archive: Path, package: str, modules: Sequence[str]) -> dict[str, str]:
    """Imports modules of a package from an archive, in a process of their own; says what fails."""
    with tempfile.TemporaryDirectory(prefix="submit-", ignore_cleanup_errors=True) as text:
        folder = Path(text).resolve()
        with zipfile.ZipFile(archive) as opened:
            opened.extractall(folder)
        file, results = folder / "found", dict[str, str]()  # "" for a module without an error
        until = time.monotonic() + _SECONDS
        while rest := [module for module in modules if module not in results]:
            end = "its import ends the process"
            try:
                subprocess.run(
                    [sys.executable, "-B", "-c", _IMPORT, folder, file, package, *rest],
                    cwd=folder,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    timeout=max(until - time.monotonic(), 1),
                    check=False,
                )
            except subprocess.TimeoutExpired:
                end = "its import takes too long"
            lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
            results |= {m: e and f"cannot be imported: {e}" for m, e in map(json.loads, lines)}
            if left := [module for module in rest if module not in results]:
                results[left[0]] = end
    return {module: problem for module, problem in results.items() if problem}


def _not_in_the_grader(package: Path, files: Iterable[Path]) -> set[str]:
    """Packages that the files import and the grader does not have."""
    imported = set()
    for file in files:
        for node in ast.walk(ast.parse(file.read_bytes(), file.name)):
            if isinstance(node, ast.Import):
                imported |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                imported.add((node.module or "").partition(".")[0])
    return imported - {*PACKAGES, *sys.stdlib_module_names, package.name}
