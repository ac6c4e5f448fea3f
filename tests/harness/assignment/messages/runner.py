"""Runs public tests on wrong code in forks of one process that has torch loaded.

    python runner.py CASES.json      in the folder of a handout; `warm.py` has loaded torch

CASES.json lists cases: `folder` holds `pyproject.toml`, `tests/` and `resource_accounting/`;
`arguments` are pytest's. Each fork leaves `output.txt` and `failed.txt` in its folder.
"""

import gc
import json
import os
import sys
import traceback
from pathlib import Path


class FailedTests:
    """Notes the names of the tests that fail, in their order."""

    def __init__(self):
        self.names = []

    def pytest_runtest_logreport(self, report):
        if report.failed:
            self.names.append(report.nodeid.partition("::")[2])


def run(case):
    """Runs one case in this process, which ends with it."""
    import pytest

    os.chdir(case["folder"])
    output = os.open("output.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(output, 1)
    os.dup2(output, 2)
    failed = FailedTests()
    pytest.main([*case["arguments"], "-p", "no:cacheprovider"], plugins=[failed])
    sys.stdout.flush()
    Path("failed.txt").write_text("\n".join(failed.names), encoding="utf-8")


def main(path):
    sys.path.insert(0, str(Path.cwd()))
    from assignment.student import watch

    watch.preload()
    gc.freeze()  # pytest collects garbage several times: not what is there already
    running = 0
    for case in json.loads(Path(path).read_text(encoding="utf-8")):
        if running == (os.cpu_count() or 1):
            os.wait()
            running -= 1
        if os.fork() == 0:
            try:
                run(case)
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(0)
        running += 1
    while running:
        os.wait()
        running -= 1


if __name__ == "__main__":
    main(sys.argv[1])
