"""The layers that isolate a submission, and how `switch_off.py` switches each of them off.

A layer is a few lines of the grader, which are replaced in a copy of this repository, and an attack
that goes red without them.
"""

from __future__ import annotations

from typing import NamedTuple


class Edit(NamedTuple):
    """A text that occurs once in a file of the grader, and its replacement."""

    file: str
    old: str
    new: str


class Layer(NamedTuple):
    """A layer and how it is switched off.

    Args:
        title: what the layer is.
        attack: one that goes red without it.
        edits: replacements; if there are none, attacks run in plain pytest.
        profile: the container where no other layer stops the attack.
        kinds: the classes of attacks that the layer may stop; all, if empty.
    """

    title: str
    attack: str
    edits: tuple[Edit, ...]
    profile: str = "whole"
    kinds: tuple[str, ...] = ()


ARCHIVES = "archives"  # a class of attacks: the tests of staging, in `judge/`
UNCHECKED = (  # switches off the grader's own checks of a worker, which would refuse to grade
    Edit("sandbox/probe.py", "{name: _result(attempt) for", "{name: 'EPERM' for"),
    Edit(
        "supervisor/worker.py",
        "            self.process.check_lockdown(self._zygote.tier, self._zygote.own_uids)\n",
        "",
    ),
)
LAYERS = {
    "own process": Layer(
        "a separate process (switched off: plain pytest)",
        "patches_everything",
        (),
    ),
    "own root": Layer(
        "its own root file system: mount and pivot_root (tier A)",
        "looks_for_files_by_stat",
        (
            Edit("sandbox/namespaces.py", "        self._enter_root(request, paths)\n", ""),
            Edit("sandbox/namespaces.py", "writable = [TMP, SCRATCH, ", 'writable = ["/tmp", '),
            Edit(
                "sandbox/namespaces.py",
                "return WorkerPaths(SUBMISSION, paths.shared, SCRATCH, TMP)",
                "return WorkerPaths(paths.submission, paths.shared, '/tmp', '/tmp')",
            ),
        ),
    ),
    "own user": Layer(
        "its own user for each worker (tier B-, where no other layer does the same)",
        "uses_its_callers_paths",
        (
            Edit(
                "sandbox/shared_filesystem.py",
                "        self.become_worker(request.uid, *_groups(paths))\n",
                "",
            ),
        ),
        "no-landlock",
    ),
    "Landlock": Layer(
        "Landlock (tier C, where no other layer does the same)",
        "uses_its_callers_paths",
        (
            Edit(
                "sandbox/lockdown.py",
                "landlock.restrict(readable, writable, cuda.device_nodes() if with_cuda else ())",
                "pass",
            ),
        ),
        "user",
    ),
    "seccomp": Layer(
        "seccomp's list of system calls (tier A)",
        "sweeps_the_kernel",
        (
            Edit(
                "sandbox/lockdown.py",
                "    seccomp.install(seccomp.program(os.getpid(), with_cuda=with_cuda))\n",
                "",
            ),
        ),
    ),
    "descriptors": Layer(
        "closing inherited descriptors (tier A)",
        "escapes_by_descriptors",
        (
            Edit(
                "sandbox/lockdown.py", "    kernel.close_all_but({0, 1, 2, channel, *others})\n", ""
            ),
        ),
        kinds=("reading", "other processes", "network", "kernel"),
    ),
    "memory watch": Layer(
        "the judge's checks of memory (tier A)",
        "memory_page_tables",
        (Edit("supervisor/meter.py", "if held > self._limits.memory_mib * 2**20:", "if False:"),),
        kinds=("bombs",),
    ),
    "frame caps": Layer(
        "caps on a frame's size, values and depth",
        "frame_deep",
        (
            Edit("wire/frames.py", "size: int = 256 * 2**20", "size: int = 2**40"),
            Edit("wire/frames.py", "items: int = 1_000_000", "items: int = 2**40"),
            Edit("wire/frames.py", "depth: int = plain.MAX_DEPTH", "depth: int = 10**6"),
        ),
        kinds=("frames", "lying objects", "bombs"),
    ),
    "call ids": Layer(
        "an answer must have its call's id, and come after it",
        "frame_wrong_id",
        (
            Edit("supervisor/channel.py", "if answered != self.call_id:", "if False:"),
            Edit("supervisor/channel.py", "if self.has_answer():\n", "if False:\n"),
        ),
        kinds=("frames", "later", "plugins and patches", "introspection", "lying objects"),
    ),
    "deadlines": Layer(
        "limits on time",
        "endless_call",
        (
            Edit(
                "supervisor/meter.py",
                "        if self.charged >= self._allowed:\n",
                "        if False:\n",
            ),
        ),
        kinds=("no end",),
    ),
    "own scratch": Layer(
        "a scratch folder for each test",
        "caches_in_files",
        (
            Edit(
                "supervisor/zygote.py",
                'ScratchFolder(f"{self.lane}-{self._scratch_count}", uid)',
                'ScratchFolder("1", uid)',
            ),
            Edit("sandbox/namespaces.py", "        if not keep_scratch:\n", "        if False:\n"),
            Edit("sandbox/namespaces.py", "nr_inodes={inodes}{owner}", "nr_inodes={inodes},uid=0"),
            Edit("sandbox/namespaces.py", 'return f"mode=700,', 'return f"mode=777,'),
        ),
        kinds=("later",),
    ),
    "own seeds": Layer(
        "a worker's seed does not reveal its test's seed",
        "predicts_the_inputs",
        (
            Edit(
                "judge/implementation.py",
                'seed_of(nonce, "worker", test.id)',
                'seed_of(nonce, "hidden", test.item.path.stem, test.item.name)',
            ),
        ),
        kinds=("recognition",),
    ),
    "strict comparison": Layer(
        "comparison of an answer's type, not only of its value",
        "one_for_true",
        (
            Edit(
                "../assignment/calls/plain.py",
                "    if type(actual) is not type(expected):\n        return False\n",
                "",
            ),
        ),
        kinds=("wrong kinds", "lying objects"),
    ),
    "own words": Layer(
        "students read only the grader's own words on a hidden test, and on public ones after it",
        "carries_by_exception",
        (
            Edit(
                "results/student.py",
                'return clean(check.shown or "") if check.visibility == "public" else ""',
                'return clean(check.detail or "")',
            ),
            Edit("results/student.py", "{clean(failure.title)}", "{clean(failure.detail or '')}"),
        ),
        kinds=("carrying out", "exceptions", "encodings", "no end"),
    ),
    "name checks": Layer(
        "checks of an archive's names before a file is written",
        "names_that_lead_outside_write_nothing_there",
        (
            Edit(
                "intake/stage.py",
                "if entry.is_odd or not entry.path.is_relative_to(package.root):",
                "if False:",
            ),
            Edit(
                "intake/stage.py",
                """if inside.suffix != ".py" or not all(
        part.isidentifier() for part in (*inside.parts[:-1], inside.stem)
    ):""",
                "if False:",
            ),
            Edit(
                "intake/stage.py",
                "inside = entry.path.relative_to(package.root)",
                "inside = entry.path\n"
                "        if inside.is_relative_to(package.root):\n"
                "            inside = inside.relative_to(package.root)",
            ),
        ),
        kinds=(ARCHIVES,),
    ),
    "archive caps": Layer(
        "caps on an archive's size, entries and unpacked bytes",
        "tar_header_of_megabytes_is_not_read",
        (
            Edit(
                "intake/archives.py",
                "if self.type in _EXTENSIONS and self.size > _MAX_HEADER:",
                "if False:",
            ),
            Edit("intake/archives.py", "if position > MAX_UNPACKED:", "if False:"),
            Edit(
                "intake/archives.py",
                "if self.tell() + size > MAX_UNPACKED + tarfile.RECORDSIZE:",
                "if False:",
            ),
            Edit("intake/entries.py", "if len(found) > MAX_ENTRIES:", "if False:"),
            Edit("intake/entries.py", "if self._count > MAX_LISTED:", "if False:"),
        ),
        kinds=(ARCHIVES,),
    ),
}
