"""What a visit to a CUDA device should measure, most wanted first, in eight minutes.

    python -m tests.benchmarks.gpu             runs all stages, then writes tests/benchmarks/gpu.md
    python -m tests.benchmarks.gpu --show      only writes it, from the lines that are there

Each stage is a process with its own time limit. Its result is a line of `gpu.jsonl`, in $OUT or in
build/gpu, written as soon as it is there; after a failure the next stage goes on. `--device cpu`
rehearses all of it with small sizes. Nothing here needs a network: wheels in `.gpu/` are installed
first.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.benchmarks.gpu import table

ROOT = Path(__file__).resolve().parents[3]
SECONDS = 480.0
_LEAST_SECONDS = 5.0  # with less time left, a stage is not begun
_RUN = "from tests.benchmarks.gpu.stages import main; main()"


def main() -> None:
    """Runs the stages, then shows what was found."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="of all stages together")
    parser.add_argument("--only", nargs="*", default=(), help="some of the stages, by name")
    parser.add_argument("--show", action="store_true", help="run nothing")
    options = parser.parse_args()
    folder = Path(os.environ.get("OUT", ROOT / "build" / "gpu"))
    folder.mkdir(parents=True, exist_ok=True)
    record = folder / "gpu.jsonl"
    if not options.show:
        install_wheels()
        run_stages(options.device, options.seconds, record, options.only)
    text = table.written(record.read_text().splitlines())
    where = ROOT / "tests" / "benchmarks" if options.device == "cuda" else folder
    for path in {where / "gpu.md", folder / "gpu.md"}:
        path.write_text(text)
    print(text)


def install_wheels() -> None:
    """Installs what was brought in `.gpu/` into this environment, without a network."""
    wheels = sorted(map(str, (ROOT / ".gpu").glob("*.whl")))
    if wheels:
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps"]
        subprocess.run([*pip, *wheels], check=False)
        importlib.invalidate_caches()


def run_stages(device: str, seconds: float, record: Path, only: Sequence[str] = ()) -> None:
    """Runs stages one after the other, and appends each result to a file."""
    # Not earlier: it imports what may be in the wheels.
    from tests.benchmarks.gpu.stages import STAGES

    end = time.monotonic() + seconds
    for name, limit in STAGES.items():
        if only and name not in only:
            continue
        left = end - time.monotonic()
        begun = time.monotonic()
        if left < _LEAST_SECONDS:
            found: dict[str, Any] = {"error": "no time left"}
        else:
            found = run_stage(name, device, min(limit, left))
        took = round(time.monotonic() - begun, 1)
        line = {"stage": name, "device": device, "seconds": took, **found}
        with record.open("a") as file:
            file.write(json.dumps(line) + "\n")
        status = f"FAILED {found['error']}" if "error" in found else "ok"
        print(f"{name:32} {took:7.1f} s  {status[:300]}", flush=True)


def run_stage(name: str, device: str, seconds: float) -> dict[str, Any]:
    """Runs one stage in a process; returns its result, or its error and the parts it printed."""
    with subprocess.Popen(
        [sys.executable, "-c", _RUN, name, device],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            output, errors = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)  # its own children, too
            _, errors = process.communicate()
            return {"error": f"no answer in {seconds:.0f} s", "parts": errors.splitlines()[-60:]}
    try:
        return {"result": json.loads(output.splitlines()[-1])}
    except (IndexError, ValueError):
        last = errors.strip().splitlines()[-3:]
        return {"error": f"status {process.returncode}: {' | '.join(last)}"}


if __name__ == "__main__":
    main()
