"""The `grader` command, also `python -m grader`: starts itself anew in an environment of its own.

What a process inherits must change no mark. Nothing is imported here that Python itself has not
loaded, since a folder on the path may hold a module of any name.
"""

import os
import sys

# All other variables are dropped: those of Python, pytest, torch, OpenMP, the linker, the locale.
KEPT = (
    *("PATH", "HOME", "TMPDIR", "CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH"),
    *("TERM", "COLORTERM", "COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR"),
)
# As the zygote's (`supervisor/zygote.py`): -I would ignore the variable that we set, too.
_OPTIONS = ("-s", "-P", "-X", "utf8", "-X", "faulthandler")
_BOOT = "import sys; sys.path.insert(0, sys.argv.pop(1)); from grader.environment import run; run()"


def main() -> None:
    """Executes Python again, with few variables and this copy's parent folder first on its path."""
    while (null := os.open(os.devnull, os.O_RDWR)) <= 2:  # a standard descriptor was closed
        os.set_inheritable(null, True)
    environment = {name: os.environ[name] for name in KEPT if name in os.environ}
    environment["PYTHONIOENCODING"] = sys.stdout.encoding if sys.stdout else "utf-8"
    options = (*_OPTIONS, "-B") if sys.dont_write_bytecode else _OPTIONS
    repository = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120
    command = [sys.executable, *options, "-c", _BOOT, repository, *sys.argv[1:]]
    os.execve(sys.executable, command, environment)


if __name__ == "__main__":
    main()
