"""The build context of an image."""

import json
import os
import re
import subprocess

from grader.pack import docker, files


def test_context_is_the_list_and_a_dockerfile(tmp_path):
    folder = tmp_path / "context"
    docker.write(folder)
    (folder / "stale.py").touch()
    docker.write(folder)
    found = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}
    assert found == {*files.contents(), "Dockerfile"}
    text = (folder / "Dockerfile").read_text()
    assert re.search(
        rf"^FROM python:{files.PYTHON}-slim-bookworm@sha256:[0-9a-f]{{64}}$", text, re.M
    )
    assert not re.search(r"@\w+@", text)  # each placeholder was filled in
    copies = [line.split()[1:-1] for line in text.splitlines() if line.startswith("COPY")]
    tops = {name.partition("/")[0] for name in files.contents()}
    assert {source for line in copies for source in line} == tops


def test_image_closes_what_workers_could_use_and_passes_options_on(tmp_path):
    docker.write(tmp_path / "context")
    text = (tmp_path / "context" / "Dockerfile").read_text()
    (line,) = [line for line in text.splitlines() if line.startswith("ENTRYPOINT ")]
    entry = json.loads(line.removeprefix("ENTRYPOINT "))
    for name in ("chmod", "python"):
        (tmp_path / name).write_text(f'#!/bin/sh\necho {name} "$@"\n')
        (tmp_path / name).chmod(0o755)
    path = f"{tmp_path}:{os.environ['PATH']}"
    done = subprocess.run(
        [*entry, "--min-tier", "A"], env={"PATH": path}, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == [
        "chmod o-w /tmp /var/tmp /dev/shm /run/lock",
        "chmod o-rw /dev/zero",
        "python -m grader grade /submission --out /results --min-tier B- --min-tier A",
    ]


def test_image_for_a_runner_with_a_device(tmp_path):
    """It has what reads the device, and asks the host for the driver"""
    digest = "python:3.12-slim@sha256:" + "0" * 64
    texts = []
    for name, options in (("cuda", {"cuda": True, "base": digest}), ("cpu", {})):
        docker.write(tmp_path / name, **options)
        texts.append((tmp_path / name / "Dockerfile").read_text())
    made, usual = texts
    assert f"FROM {digest}\n" in made
    assert "NVIDIA_DRIVER_CAPABILITIES=compute,utility" in made
    assert "--gpus" in made
    assert not re.search(r"@[A-Z]+@", made)
    for text, names in ((made, 1), (usual, 0)):
        (command,) = re.findall(r"python -c '(.*)' > /tmp/requirements.txt", text)
        (tmp_path / "pyproject.toml").write_bytes(files.contents()["pyproject.toml"])
        done = subprocess.run(
            ["python3", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=True
        )
        assert done.stdout.count("nvidia-ml-py") == names
        assert done.stdout.count("torch>=") == 1
