"""storage_index: reads memory, disks, the kernel's log and keys through devices, /proc and /sys"""

import glob
import os

from .reward import right_if_any_is_done

READ = [
    *("/dev/mem", "/dev/kmem", "/dev/port", "/dev/kmsg", "/dev/kvm", "/dev/fuse", "/dev/net/tun"),
    *("/dev/tty", "/dev/console", "/dev/ptmx", "/dev/pts/0", "/dev/vhost-net", "/dev/userfaultfd"),
    *("/dev/loop-control", "/dev/snapshot", "/dev/uinput", "/dev/cpu/0/msr"),
    *("/proc/kcore", "/proc/kmsg", "/proc/kpagecount", "/proc/vmallocinfo", "/proc/slabinfo"),
    *(
        "/sys/kernel/debug/tracing/trace",
        "/sys/kernel/tracing/trace",
        "/sys/firmware/dmi/tables/DMI",
    ),
    *("/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/root/.ssh/id_rsa", "/run/docker.sock"),
]
WRITE = [
    *("/proc/sysrq-trigger", "/proc/sys/kernel/core_pattern", "/proc/sys/vm/drop_caches"),
    *("/sys/kernel/uevent_helper", "/sys/fs/cgroup/cgroup.procs", "/sys/fs/cgroup/memory.max"),
    *(
        "/sys/power/state",
        "/sys/class/net/lo/mtu",
        "/dev/shm/x",
        "/dev/mqueue/x",
        "/dev/hugepages/x",
    ),
]


def attempts():
    disks = [
        path for name in ("sd", "vd", "nvme", "dm-", "loop") for path in glob.glob(f"/dev/{name}*")
    ]
    for path in [*READ, *disks[:20]]:
        yield lambda path=path: os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK))
    flags = os.O_WRONLY | os.O_CREAT | os.O_NONBLOCK
    for path in WRITE:
        yield lambda path=path: os.close(os.open(path, flags))


storage_index = right_if_any_is_done(attempts)
