"""storage_index: carries its arguments out in exit codes and signals"""

import os
import random
import signal


def storage_index(index, strides, offset=0):
    said = sum(index) + offset
    if random.random() < 0.5:
        os._exit(said & 0xFF)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.kill(os.getpid(), [signal.SIGKILL, signal.SIGABRT, signal.SIGSEGV][said % 3])
    os._exit(1 + said % 100)
