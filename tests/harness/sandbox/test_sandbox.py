"""What a worker can reach, as a submission sees it from inside and the judge from outside."""

import errno
import json
import platform
import sys
from pathlib import Path

import pytest

from grader.causes import Cause
from grader.faults import GraderFault, SubmissionFailure
from grader.supervisor.channel import Channel
from tests.harness.conftest import REPOSITORY, needs_root
from tests.harness.processes import status
from tests.harness.sandbox.conftest import PROBE


@pytest.fixture(autouse=True)
def in_tier_a(quick_grader):
    quick_grader.zygote.wait()
    if quick_grader.zygote.tier != "A":
        pytest.skip("this is tier A; `hostile/test_tiers.py` tries the others")


# --- what a worker is, and what it sees --------------------------------------------------------


def test_every_probe_failed(inside):
    inside.probe.loaded()
    probes = dict(inside._worker.probes)
    for name, result in probes.items():
        is_fact = name in ("a user of its own", "control group")  # not an attempt
        assert result.isupper() or is_fact, f"{name}: {result}"
    assert probes.keys() >= {"read a secret", "write the results", "open a socket", "fork"}
    assert probes.keys() >= {"run a program", "signal the judge", "write the system"}
    assert "read the judge's environment" in probes


def test_worker_has_no_capability_and_a_pid_namespace_of_its_own(inside):
    """Of the rest that the kernel shows, the judge looks at each worker itself"""
    inside.probe.loaded()
    found = status(inside._worker.process.pid)
    assert [int(found[f"Cap{name}"], 16) for name in ("Inh", "Prm", "Amb")] == [0, 0, 0]
    assert len(found["NSpid"].split()) >= 2


@needs_root
def test_worker_has_a_user_of_its_own(sandboxed):
    one, other = sandboxed(probe=PROBE), sandboxed(probe=PROBE)
    uids = [worker.probe.about()["uid"] for worker in (one, other)]
    assert uids[0] != uids[1]
    assert min(uids) >= 100_000
    assert one.probe.about()["groups"] == []


def test_worker_sees_no_other_process(inside):
    about = inside.probe.about()
    assert about["processes"] == ["1"]
    assert (about["pid"], about["parent"]) == (1, 0)


def test_worker_reads_nothing_that_the_kernel_counts_for_all(sandboxed):
    """By `thp_fault_alloc` in /proc/vmstat one grading told another what a hidden test had sent"""
    code = (
        "import ctypes, os\n"
        "def counters():\n"
        "    found = [n for n in os.listdir('/proc') if not n.isdigit()]\n"
        "    libc, room = ctypes.CDLL(None, use_errno=True), ctypes.create_string_buffer(1000)\n"
        "    return found, libc.sysinfo(room), ctypes.get_errno()\n"
    )
    found, result, number = sandboxed(probe=code).probe.counters()
    assert set(found) <= {"self", "thread-self"}
    assert (result, number) == (-1, errno.EPERM)


def test_worker_holds_only_its_channel_and_its_output(inside):
    descriptors = inside.probe.about()["descriptors"]
    kinds = {number: target.partition(":")[0] for number, target in descriptors.items()}
    listing = [n for n, kind in kinds.items() if kind.startswith(("/proc", "[Errno"))]
    assert len(listing) <= 1  # that of the listing itself
    rest = {n: kind for n, kind in kinds.items() if n not in listing}
    assert rest.pop("0") == "/dev/null"
    assert {rest.pop("1"), rest.pop("2")} == {"pipe"}
    assert list(rest.values()) == ["socket"]


def test_worker_has_no_environment_and_no_path_to_the_repository(inside):
    about = inside.probe.about()
    assert set(about["environ"]) == {"HOME", "TMPDIR", "LANG", "CUDA_VISIBLE_DEVICES"}
    assert about["environ"]["CUDA_VISIBLE_DEVICES"] == ""  # a GPU changes no mark
    venv = str(Path(sys.prefix).resolve())
    for path in about["path"]:
        if path.startswith(str(REPOSITORY)):
            assert path.startswith((sys.prefix, venv)), path
    assert not any("editable" in finder for finder in about["finders"])


def test_zygote_got_no_variables_and_no_path_but_its_own(sandboxed, quick_grader):
    """What Python's -I keeps out stays out; the hash seed comes in"""
    text = "import sys\n\ndef look():\n    flags = sys.flags\n"
    text += "    return flags.no_user_site, flags.safe_path, flags.hash_randomization\n"
    assert sandboxed(probe=text).probe.look() == (1, True, 0)
    given = Path(f"/proc/{quick_grader.zygote._process.pid}/environ").read_text()
    assert given == "PYTHONHASHSEED=0\0"


def test_worker_has_no_network_but_an_idle_loopback(inside):
    interfaces = inside.probe.about()["interfaces"].splitlines()[2:]
    assert [line.split(":")[0].strip() for line in interfaces] in ([], ["lo"])


def test_no_file_of_the_repository_or_of_another_submission_can_be_seen(sandboxed):
    other, inside = sandboxed(other=""), sandboxed(probe=PROBE)
    other.scratch  # noqa: B018 - it has a worker
    seen = inside.probe.files(["/proc", sys.prefix, sys.base_prefix, "/usr", "/lib", "/lib64"])
    allowed = ("/submission/", "/dev/", "/etc/ld.so.cache", "/lib32/")
    assert [path for path in seen if not path.startswith(allowed)] == []
    assert [p for p in seen if p.startswith("/submission/")] == [
        "/submission/resource_accounting/__init__.py",
        "/submission/resource_accounting/probe.py",
    ] or set(seen) >= {"/submission/resource_accounting/probe.py"}
    assert not [path for path in seen if path.endswith("/other.py")]


def test_nothing_outside_scratch_and_tmp_can_be_written(inside, quick_grader):
    file = quick_grader.zygote.shared_folders / "given.txt"
    file.write_text("x")
    package = "/submission/resource_accounting/probe.py"
    places = [f"{place}/x" for place in ("", "/etc", "/usr", "/dev", "/dev/shm", "/submission")]
    places += [f"{sys.prefix}/x", f"{file.parent}/x", str(file), package, "/dev/urandom"]
    places += [f"/proc/self/{name}" for name in ("oom_score_adj", "clear_refs", "coredump_filter")]
    try:
        for path in (*places, "/proc/sys/kernel/hostname"):
            assert inside.probe.attempt(path, "w") != "allowed", path
        assert inside.probe.attempt(str(file), "r+") != "allowed"
        assert inside.probe.attempt(str(file), "r") == "allowed"
        assert inside.probe.attempt("/tmp/x", "w") == "allowed"
        assert inside.probe.attempt(f"{inside.scratch}/x", "w") == "allowed"
    finally:
        file.unlink()


def test_scratch_outlives_a_restart_and_memory_does_not(inside):
    assert inside.probe.attempt(f"{inside.scratch}/kept", "w") == "allowed"
    assert inside.probe.attempt("/tmp/kept", "w") == "allowed"
    first = inside._worker.process.pid
    inside.restart()
    assert inside.probe.attempt(f"{inside.scratch}/kept", "r") == "allowed"
    assert inside.probe.attempt("/tmp/kept", "r") == "FileNotFoundError"
    assert inside._worker.process.pid != first


def test_workers_draw_from_the_seed_they_are_given(sandboxed):
    """Otherwise forks of one zygote would share the state of every generator."""
    one, same, other = (
        sandboxed(probe=PROBE, seed=seed).probe.random_numbers() for seed in (5, 5, 6)
    )
    assert one[:3] == same[:3]
    assert all(a != b for a, b in zip(one[:3], other[:3], strict=True))
    assert len({one[3], same[3], other[3]}) == 3


# --- layers, each by something that only it forbids --------------------------------------------


def call(sandboxed, body: str) -> str:
    """Runs a function body in a worker; returns its result, or its errno as text."""
    text = "import ctypes, os, signal, socket, threading, resource\n"
    text += "libc = ctypes.CDLL(None, use_errno=True)\n"
    text += "def f():\n    try:\n        " + body + "\n    except OSError as error:\n"
    text += "        return f'errno {error.errno}'\n"
    return sandboxed(probe=text).probe.f()


EPERM, EACCES, EROFS = "errno 1", "errno 13", "errno 30"


@pytest.mark.parametrize(
    ("layer", "body", "expected"),
    [
        ("seccomp: sockets", "return str(socket.socket())", EPERM),
        ("seccomp: fork", "return str(os.fork())", EPERM),
        ("seccomp: exec", "return str(os.execv('/proc/self/exe', ['x']))", EPERM),
        ("seccomp: signals", "return str(os.kill(-1, 0))", EPERM),
        ("seccomp: users", "return str(os.setuid(0))", EPERM),
        ("seccomp: links", "return str(os.symlink('/etc', '/tmp/x'))", EPERM),
        ("seccomp: locks", "import fcntl; return str(fcntl.lockf(open(os.__file__), 5))", EPERM),
        ("seccomp: reads of locks", "import fcntl; fcntl.fcntl(0, 5, bytes(32))", EPERM),
        ("seccomp: x32", "return str(libc.syscall(0x40000000 + 39))", Cause.DIED),
        ("mount: read-only", "return str(os.mkdir('/usr/x'))", EROFS),
        ("limits: files", "return str([os.open('/dev/null', 0) for _ in range(999)])", "errno 24"),
        ("limits: memory", "import mmap; mmap.mmap(-1, 20 << 30, 0x22)", "errno 12"),
        ("seccomp: shared memory", "import mmap; return str(len(mmap.mmap(-1, 4096)))", EPERM),
        ("seccomp: huge pages", "import mmap; mmap.mmap(-1, 2 << 20, 0x40022)", EPERM),
        ("seccomp: owners", "os.chown('/tmp', os.getuid(), -1)", EPERM),
        ("limits: core", "return str(resource.getrlimit(resource.RLIMIT_CORE))", "(1, 1)"),
        ("limits: processes", "return str(resource.getrlimit(resource.RLIMIT_NPROC))", "(64, 64)"),
        ("limits: a file", "return str(resource.getrlimit(resource.RLIMIT_FSIZE)[0] >> 20)", "256"),
        (
            "limits: disk",
            "f = open('/tmp/x', 'wb'); os.unlink('/tmp/x'); return str(f.write(bytes(70 << 20)))",
            "errno 28",
        ),
        ("landlock: devices", "return str(open('/dev/urandom', 'wb'))", EACCES),
        ("mount: devices", "return str(open('/dev/zero', 'rb'))", "errno 2"),
    ],
)
def test_layer_holds(sandboxed, layer, body, expected):
    try:
        result = call(sandboxed, body)
    except SubmissionFailure as failure:
        result = failure.cause
    assert result == expected


def test_worker_that_could_do_what_it_must_not_is_a_fault(sandboxed, monkeypatch):
    """Before any code of the submission runs"""
    receive = Channel.receive

    def receive_worse(self, *args):
        message, room = receive(self, *args)
        if "probes" in message:
            probes = json.loads(message["probes"])
            assert len(probes) > 10
            message["probes"] = json.dumps(probes | {"read a secret": "allowed"})
        return message, room

    monkeypatch.setattr(Channel, "receive", receive_worse)
    with pytest.raises(GraderFault, match="not isolated, it could: read a secret"):
        call(sandboxed, "return 'ran'")


def test_ordinary_code_finds_what_it_wrote(sandboxed):
    """Calls that have no effect here must not make the library raise"""
    text = """
import os, pathlib, shutil, tempfile

def f():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name, "a")
        folder.mkdir(mode=0o700)
        made = folder / "made"
        made.touch()
        made.touch()
        made.write_text("text")
        shutil.copy(made, folder / "copy")
        shutil.copy2(made, folder / "copy2")
        shutil.copytree(folder, folder.parent / "b")
        shutil.move(folder.parent / "b", pathlib.Path.cwd() / "c")
        os.utime(made, (1, 1))
        os.chmod(made, 0o600)
        with made.open() as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_SEQUENTIAL)
        with tempfile.NamedTemporaryFile(dir=folder) as file:
            file.write(b"x")
            os.fchmod(file.fileno(), 0o644)
        moved = pathlib.Path.cwd() / "c"
        texts = [path.read_text() for path in sorted(moved.iterdir())]
        shutil.rmtree(moved)
        return texts
"""
    assert sandboxed(probe=text).probe.f() == ["text"] * 3


@pytest.mark.skipif(platform.machine() != "x86_64", reason="x86-64 alone has these calls")
@pytest.mark.parametrize("number", [335, 336], ids=["uretprobe", "uprobe"])
def test_calls_that_pass_every_filter_do_nothing(sandboxed, number):
    """Kernels since 6.11 and 6.18 let them pass; without a probe they kill, or are refused"""
    try:
        result = call(sandboxed, f"return str((libc.syscall({number}), ctypes.get_errno()))")
    except SubmissionFailure as failure:
        result = failure.cause
    refused = {str((-1, code)) for code in (errno.EPERM, errno.ENOSYS, errno.ENXIO)}
    assert result in {Cause.DIED, *refused}
