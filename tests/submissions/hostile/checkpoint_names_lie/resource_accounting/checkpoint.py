"""checkpoint_roundtrip: saves a zip whose directory lies: entries that overlap, repeat, and lead out of the folder"""

import struct
import zipfile


def save_checkpoint(path, model, optimizer, step):
    with zipfile.ZipFile(path, "w") as file:
        for name in ("../../data.pkl", "/proc/self/mem", "run/\x00.pkl", "run/" + "é" * 9000):
            file.writestr(zipfile.ZipInfo(name), b"\x80\x02." * 9)
        last = file.filelist[-1]
        last.file_size = last.compress_size = 2**31 - 1
        for _ in range(2000):
            file.filelist.append(last)
    with open(path, "ab") as file:
        file.write(struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 65535, 65535, 2**31, 0, 0))


def load_checkpoint(path, model, optimizer):
    return -3
