"""Limits that grader/README.md names are those of the code."""

import pytest

from assignment import manifest
from assignment.calls.callbacks import MAX_USES
from grader.intake import stage
from grader.intake.archives import _MAX_HEADER, MAX_ARCHIVE
from grader.intake.entries import MAX_ENTRIES, MAX_LISTED
from grader.isolation import DISK_MIB, SCRATCH_MIB
from grader.supervisor import meter
from grader.supervisor.watching import MAX_CALLS
from tests.harness.conftest import REPOSITORY

TEXT = " ".join((REPOSITORY / "grader" / "README.md").read_text(encoding="utf-8").split())
MIB = 2**20
USUAL = manifest.load()


@pytest.mark.parametrize(
    "said",
    [
        f"At most {MAX_USES:,} a call",
        f"for at most {MAX_CALLS} calls",
        f"limits it to {stage.LIMITS.cpu_seconds} s of CPU time",
        f"CPU time and {stage.LIMITS.memory // MIB} MiB: what takes more is refused",
        f"Archives have at most {MAX_ARCHIVE // MIB} MiB, and list at most {MAX_LISTED:,} files",
        f"and {MAX_ENTRIES:,} files outside the folders that tools create",
        f"headers over {_MAX_HEADER // MIB} MiB are refused",
        f"each has up to {SCRATCH_MIB} MiB on the disk",
        f"less than {meter._LEAST_ROOM // MIB} MiB or {meter._LEAST_FILES} files left",
        f"has less than {DISK_MIB + meter._LEAST_ROOM // MIB} MiB of room",
        f"at least {DISK_MIB // 2} MiB less room",
        f"(`seconds` in the manifest, {USUAL.limits.seconds:g} s)",
        f"(`exercise_seconds` in the manifest, {USUAL.exercise_seconds:g} s,",
        f"`--budget`; {USUAL.budget_seconds:g} s)",
    ],
)
def test_readme_of_the_grader_names_the_limits_of_the_code(said):
    assert said in TEXT
