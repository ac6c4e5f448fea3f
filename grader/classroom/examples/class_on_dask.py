"""Grades a class on a Dask cluster.

    python class_on_dask.py tcp://SCHEDULER:8786 SUBMISSIONS [OPTION …]

Options are those of `grader class`. Each thread of each worker runs that command, with one grader.
All see the same folders and the same checkout. They share the work by the folder of marks, so each
is busy until nothing is left; the command of a worker that is lost goes to another one. Slurm's and
Kubernetes' workers come from dask-jobqueue and dask-kubernetes. Needs `distributed`.
"""

import subprocess
import sys

from distributed import Client


def grade(command: list[str]) -> int:
    """Runs on a worker; returns the exit status."""
    return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    scheduler, *arguments = sys.argv[1:]
    grader = [".venv/bin/grader", "class", *arguments, "--jobs", "1"]
    with Client(scheduler) as cluster:
        threads = sum(cluster.nthreads().values())
        running = [cluster.submit(grade, grader, pure=False) for _ in range(threads)]
        sys.exit(any(cluster.gather(running)))
