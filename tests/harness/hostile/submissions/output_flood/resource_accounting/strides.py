"""storage_index: prints 100 MB, control characters among them"""

import os
import sys


def storage_index(index, strides, offset=0):
    line = b"\x1b[2J\x1b]0;passed\x07" + b"x" * 2**20
    for _ in range(50):
        os.write(1, line)
        os.write(2, line)
    sys.stdout.write("done")
    return 0
