"""`make submit`: packs the package, and tries what the grader does first, which is to import it."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Iterable
from pathlib import Path

from rich.console import Console
from rich.text import Text

from assignment import manifest
from assignment.calls.imports import why_not_utf8
from assignment.student import states
from assignment.student.verbs import UserError

_SECONDS = 120  # for all imports
# Each module's error is written before the next module is imported, which may end the process.
_IMPORT = """
import importlib, json, sys
folder, file, *modules = sys.argv[1:]
sys.path.insert(0, folder)
for module in modules:
    said = ""
    try:
        importlib.import_module(module)
    except BaseException as error:
        said = f"{type(error).__name__}: {error}"
    with open(file, "a", encoding="utf-8") as found:
        found.write(json.dumps(said) + "\\n")
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
        and not any(
            part.startswith((".", "__pycache__")) for part in path.parts[len(package.parts) :]
        )
    ]
    if not files:
        raise UserError(f"{package} holds no .py file; run this in the folder of your handout")
    unfinished = output.with_name(output.name + ".part")
    try:
        with zipfile.ZipFile(
            unfinished, "w", zipfile.ZIP_DEFLATED, strict_timestamps=False
        ) as archive:
            for path in files:
                archive.write(path, f"{package.name}/{path.relative_to(package).as_posix()}")
            archive.writestr(manifest.VERSION_FILE, f"{manifest.load().version}\n")
        unfinished.replace(output)
    except OSError as error:
        raise UserError(f"{output} cannot be written: {error}") from error
    console.print(Text(f"Packed {output.name}:", style="bold"))
    problems = {path: problem for path in files if (problem := syntax_error(path))}
    rest = [path for path in files if path not in problems]
    problems |= import_errors(output, package, rest)
    for path in files:
        name = f"{package.name}/{path.relative_to(package).as_posix()}"
        console.print(Text(f"  {name:<44} {path.stat().st_size:>7,} bytes"))
        if problem := problems.get(path):
            _warn(console, problem, indent=4)
    if absent := [m for m in manifest.load().modules if not (package / f"{m}.py").is_file()]:
        _warn(console, f"no {', '.join(f'{m}.py' for m in absent)}")
    if problems:
        lost = "A file that cannot be imported earns no points; the others count."
        console.print(Text(lost, style="yellow"))
    if others := _not_in_the_grader(root, package, rest):
        _warn(console, f"the grader may not have {', '.join(sorted(others))}")
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
    except (SyntaxError, ValueError) as error:  # the latter for null bytes, before 3.11.4
        if not isinstance(error, SyntaxError):
            return why_not_utf8(path) or str(error)
        where = f" in line {error.lineno}" if error.lineno else ""
        return why_not_utf8(path) or f"syntax error{where}: {error.msg}"
    return None


def import_errors(archive: Path, package: Path, files: Iterable[Path]) -> dict[Path, str]:
    """Imports files of a package from an archive, in a process of their own; says what fails."""
    files = [file for file in files if file.parent == package]
    with tempfile.TemporaryDirectory(prefix="submit-") as folder:
        zipfile.ZipFile(archive).extractall(folder)
        found = Path(folder) / "found"
        found.touch()
        modules = [f"{package.name}.{file.stem}" for file in files]
        try:
            subprocess.run(
                [sys.executable, "-B", "-c", _IMPORT, folder, found, *modules],
                cwd=folder,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_SECONDS,
                check=False,
            )
            end = "ends the process"
        except subprocess.TimeoutExpired:
            end = "takes too long"
        said = [json.loads(line) for line in found.read_text(encoding="utf-8").splitlines()]
    errors = {file: f"cannot be imported: {e}" for file, e in zip(files, said, strict=False) if e}
    return errors | dict.fromkeys(files[len(said) : len(said) + 1], f"its import {end}")


def _not_in_the_grader(root: Path, package: Path, files: Iterable[Path]) -> set[str]:
    """Packages that the files import, and that the handout does not depend on."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    known = {re.split(r"[^\w-]", name)[0] for name in project["dependencies"]}
    known |= {*sys.stdlib_module_names, package.name}
    imported = set()
    for file in files:
        for node in ast.walk(ast.parse(file.read_bytes())):
            if isinstance(node, ast.Import):
                imported |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                imported.add((node.module or "").partition(".")[0])
    return imported - known
